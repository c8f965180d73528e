"""List the words of which the messages of programs are made, and those that ask something of their reader."""

# What a line begins with that tells how bad it is, before what it says.
SEVERITIES = frozenset(
    "error fatal failed fail panic failure exception err warning assert assertion expected received left right got want"
    " actual".split()
)
# Signs of a diagnostic anywhere in a line.
PHRASES = (
    "invalid ", "conflict", "deadlock", "terminated", "unexpected ", "unknown ", "unsupported ", "mismatch", "implicitly",
    "called `", "undefined reference", "cannot find", "can't find", "could not find", "not found", "no such file",
    "no module named", "not defined", "undeclared", "undefined:", "undefined symbol", "segmentation fault", "core dumped",
    "permission denied", "timed out", "refused", "syntax error", "unexpected token", "out of memory", "does not exist",
    "already in use", "no rule to make", "cannot open", "multiple definition", "not assignable", "is not a function",
    "of undefined", "of null", "mismatched types", "does not match", "exited with", "exit code", "exit status",
    "returned 1", "connection reset", "is a directory", "not a directory", "is not a", "failed to", "unable to",
    "could not", "cannot", "not implemented", "out of range", "divide by zero", "division by zero", "overflow",
    "redefinition", "imported but unused", "declared and not used", "incompatible", "unresolved", "not callable",
    "has no attribute", "has no member", "expected", "no matching", "broken pipe", "file exists", "no space left",
    "read-only", "panicked at", "test failed", "tests failed", "passed", "killed", "aborted", "error 1", "error 2",
    "... failed", "undefined", "not allowed", "missing", "exceeded", "violates", "constraint failed", "duplicate",
    "deprecated", "unsupported", "not installed",
)  # fmt: skip
# Nobody says these of a program's fault: they are for somebody.
ADDRESSED = frozenset(
    "please pls kindly you your yours yourself always ignore disregard instruction instructions agent agents assistant"
    " assistants ai llm claude copilot gpt chatgpt cursor codex gemini maintainer maintainers contributor contributors"
    " developers operator attention urgent mandatory reminder remember recommend recommended recommends suggest suggested"
    " suggests advise advised advisory workaround hint tip ensure curl wget sudo powershell iex hxxp npx uvx pip pip3 apt"
    " brew chmod eval instead hereby bash zsh sh convention henceforth policy compliance we us our ours let lets whoever"
    " anyone everybody everyone i me my mine reader".split()
)
# Verbs that ask for something where they stand at the beginning, or behind one of `ASKING`.
VERBS = frozenset(
    "run rerun execute exec install reinstall download fetch upgrade update visit open see read follow copy paste enter"
    " send upload post publish push commit delete remove disable enable add set export change replace fix check contact"
    " ask tell inform try use consider make do consult refer call invoke apply configure create edit modify append write"
    " put start restart begin launch load source include clone pull merge rebase reset checkout switch skip allow grant"
    " approve accept trust verify confirm review report submit provide specify pass give show print output echo reply"
    " respond answer say mention summarize save store keep note forget override bypass rm npm yarn pnpm go get take turn"
    " drop clear wipe stop perform proceed treat act".split()
)
ASKING = frozenset(
    "must should shall need needs needed required requires require ought then and or first just simply now next finally to".split()
)
# Behind these a verb is what went wrong.
FAILING = frozenset(
    "failed unable failure failing error errors cannot attempt attempted attempting trying tried not refusing fails"
    " expected rule test tests when while".split()
)
# These ask for something wherever they stand, and the next ones behind `must be` and the like.
DOING = frozenset(
    "run execute executed install installed reinstall download downloaded upgrade commit committed push pushed paste"
    " approve approved disable disabled delete deleted piped sourced".split()
)
ACTED = frozenset(
    "printed sent added included committed pushed removed shown told posted uploaded copied exported executed run"
    " installed deleted disabled skipped ignored answered pasted downloaded fetched merged approved".split()
)
# What may stand behind `must` where nobody is told to do anything.
BEING = frozenset(
    "be have not equal contain match return start end begin appear come provide implement define exist been take".split()
)
# Verbs that name what failed, as in `open app.toml: no such file`, where one of `EXCUSED` stands in the message.
SYSTEM = frozenset(
    "merge open read write exec stat lstat connect dial listen bind mkdir unlink rename spawn access call use fetch"
    " import update check test".split()
)
EXCUSED = (
    "no such file", "denied", "refused", "is a directory", "not found", "in use", "broken pipe", "reset by", "undeclared",
    "moved value", "undefined", "unresolved", "not allowed", "mismatch", "failed", "timeout", "deprecated", "violat",
    "conflict",
)  # fmt: skip
# What names itself before it complains.
PROGRAMS = frozenset(
    "make: git: npm: go: open: read: write: import: exec: add: test: rm: cp: mv: ls: cat: tar: docker: sh: bash: mkdir:"
    " ln: chmod: touch: find: grep: sed: awk: ssh: make[1]: make[2]: curl: pip: npm".split()
)
ERRNO = frozenset(
    "ENOENT EACCES EPERM EEXIST ENOTDIR EISDIR ENOTEMPTY EMFILE ENOSPC EROFS EPIPE EAGAIN EINVAL EBUSY ENOTFOUND"
    " ECONNREFUSED ECONNRESET ECONNABORTED ETIMEDOUT EADDRINUSE EADDRNOTAVAIL EHOSTUNREACH ENETUNREACH ERESOLVE ELIFECYCLE"
    " EINTEGRITY".split()
)
# Words of which diagnostics are made; a message of mostly other words may be in any language.
PLAIN = frozenset(
    "result results measured ignored done a an the of in on at to for from with without by as is are was were be been has"
    " have had not no non and or but if than that this it its into out off over under up before after during while when"
    " because since until expected received got want wanted actual equal equals error errors failed fail failure failures"
    " failing passed pass exception cannot can could does did do would will find found file files directory path name"
    " names named type types value values variable variables function functions method methods module modules package"
    " packages class object objects property properties attribute attributes argument arguments parameter parameters key"
    " keys index item items element list string strings number numbers int integer float bool boolean null none undefined"
    " unknown invalid missing unexpected unsupported required positional keyword takes given return returned returns call"
    " called calling read reading write writing open opening close closed load loading import imported importing export"
    " exported define defined definition declared declaration redefinition reference referenced resolve resolved symbol"
    " identifier operator operand operands operation token tokens syntax parse parsing line column char character end"
    " start input output stream connection connect connected refused reset timeout timed time limit exceeded range bounds"
    " memory size length too many few large long short empty exists exist already used unused use using access denied"
    " permission address port host server request response status code exit signal killed process thread task test tests"
    " suite case assertion assert left right side match matches matching mismatch mismatched incompatible assignable"
    " implicit explicit convert conversion cast between trait bound satisfied borrow borrowed moved mutable immutable"
    " lifetime scope target rule stop stopped build compile compilation compiled linker link linking section multiple"
    " duplicate duplicated conflict conflicts version versions requirement requirements distribution satisfies dependency"
    " dependencies cycle circular database table relation row constraint violates foreign unique query json xml yaml"
    " decode encode encoding utf byte bytes division zero overflow negative positive constructor instance instances member"
    " members abstract static private public protected override overload overloads candidate template initializer"
    " initialization initialized uninitialized implementation implemented maximum minimum recursion depth exceeds script"
    " codec interface local global main command executable image container network socket pipe broken segmentation fault"
    " core dumped panicked panic runtime goroutine pointer dereference nil possible possibly maybe some any all each one"
    " two more less least most other another same different first last second next previous current old new only still yet"
    " also there here where which what how such resource resources available unavailable locked busy allowed supported"
    " valid correct wrong bad good true false success implicitly explicitly deadlock asleep goroutines terminated stack"
    " smashing detected pathspec git known merge content contents daemon double quote quotes split prevent resolving peer"
    " retries max min validation validate model field fields record records entry entries user users order orders price"
    " prices total totals count sum config configuration settings option options flag flags environment device disk space"
    " remote branch repository repo working tree commit commits head ref refs parent parents lock lockfile scripts hook"
    " event events handler callback promise rejection unhandled rejected async await generator iterator iterable sequence"
    " tuple dict set map array arrays slice vector buffer pool threads worker mutex channel receiver sender chunk header"
    " headers body url hostname lookup service servers client clients session transaction rollback primary statement"
    " cursor pattern regex expression expressions literal constant const variant enum struct union impl macro crate extern"
    " visibility inherited inheritance base derived virtual pure deleted default defaults parameterless ambiguous deduce"
    " deduced inference infer inferred annotation annotations hint note component components prop props render rendered"
    " node nodes document window browser page selector visible hidden click clickable snapshot snapshots written obsolete"
    " deeply strictly truthy falsy contain contains instanceof strict approximately greater compiler preprocessor include"
    " included archive relocation truncated architecture platform triple toolchain release debug interpreter python java"
    " ruby perl php go rust kernel operating system arch abort aborted floating point arithmetic violation illegal"
    " descriptor handle seek eof unexpectedly corrupted corrupt checksum signature certificate expired ssl tls handshake"
    " protocol negotiation proxy gateway internal forbidden unauthorized gone existing collected collecting collection"
    " fixture fixtures parametrize marker markers warnings deprecated deprecation future removed feature features"
    " experimental characters digit digits letter letters whitespace indent indentation dedent tab tabs newline bracket"
    " brackets brace braces parenthesis parentheses paren semicolon comma colon unterminated unclosed unmatched near"
    " around inside outside within top level nested block blocks lambda closure decorator getter setter accessor readonly"
    " assign assigned assignment assigning compare comparison comparing subscript subscriptable hashable unhashable"
    " orderable callable awaitable serializable comparable concatenate format formatted specifier keywords kwargs args"
    " unpack unpacking enough dead unreachable shadow shadows shadowed differ differs lists dicts sets almost delta"
    " tolerance precision mock mocked once times calls awaited effect raised raise raises raising rethrown throw thrown"
    " throws caught uncaught caused cause causes due problem problems issue issues dimension dimensions shape shapes"
    " tensor matrix cuda gpu cpu gradient dtype broadcast axis columns rows schema migration migrations operators unary"
    " binary divisor modulo shift overflowed underflow nan infinity hex decoding ascii unicode surrogate position ordinal"
    " continuation wrongly".split()
)
SHELLS = frozenset("sh bash zsh dash ksh fish python python3 node perl ruby iex pwsh powershell sudo php".split())
# Ends of a host's name.
HOSTED = frozenset(
    "com org net io dev ai co app xyz me info biz site top link example evil ru cn uk de fr eu us test invalid cloud page"
    " gg tk".split()
)
