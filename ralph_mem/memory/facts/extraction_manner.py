"""How a sentence is said, which makes it more or less likely that it holds beyond the moment."""

import re

from ralph_mem.memory.facts.extraction_patterns import LEAD
from ralph_mem.memory.rows.facts import CORRECTION, PREFER

# What makes a sentence one of this moment: a stretch of time, this change, a place that moves with the next edit.
NOW = re.compile(
    r"(?:\b(?:for now|for the moment|for the time being|right now|at the moment|at this point|at this step|yet|today"
    r"|tonight|tomorrow|this morning"
    r"|just (?:this )?once|this time|one[- ]off|temporar(?:y|ily)|until (?:then|i|we|tomorrow|monday|later)|later today"
    r"|this (?:week|sprint|pr|mr|commit|branch|task"
    r"|ticket|issue|bug|change|refactor|session|conversation|chat|run|one|step|fix|plan|review|feature|round|iteration"
    r"|phase)|in this (?:file|function|test|class|method"
    r"|line|case|block|diff|module|doc|table)|next (?:step|one|up)|first of all,? fix|currently|meanwhile|in the meantime"
    r"|so far|earlier you|still (?:fails?|failing|broken)"
    r"|(?:on |at )?lines? \d+|(?:issue|phase|step|chunk|item|point|bug|pr|task|section|comment|ticket|session)s? #?\d+"
    r"|the (?:above|following|below|previous|last) (?:error|output|change|diff|message|test|one))\b|(?<!\w)#\d+"
    r"|[\w/-]+\.\w{1,4}:\d+)",
    re.IGNORECASE,
)  # fmt: skip
# What answers a point of a list that stands elsewhere, and what is a point of one, before the number of the next.
POINT = re.compile(
    LEAD + r"(?:for|on|re|as for|regarding|about|in) (?:(?:no\.?|number|point|item) ?)?#?\d{1,2}\b"
    r"(?! ?(?:%|[.:]\d|[mun\u00b5]?s\b|sec|min|hour|day|week|month|year|[kmg]i?b\b|of\b|or\b|to\b))|\s\d{1,2}[.)]$",
    re.IGNORECASE,
)
HEDGE = re.compile(
    r"\b(?:maybe|perhaps|i think|i guess|i feel|i wonder|might|probably|not sure|unsure|possibly|seems?|apparently|idk"
    r"|(?<!\d )(?<!\d)mb"
    r"|ideally|i suppose|kind of|sort of|sounds like|looks like|turns out|assuming|what if|consider|"
    r"could be|would it|wasnt sure|wasn't sure|i believe|likely)\b",
    re.IGNORECASE,
)
# Who says this states nothing, however firmly the rest of the sentence sounds, unless it is about something else.
UNSURE = re.compile(
    r"\b(?:not (?:so |too |quite |really |entirely |totally |100% |a hundred percent )?(?:sure|certain)|unsure|no idea|idk|i guess"
    r"|if i (?:remember|recall)|i don'?t (?:remember|recall|know))\b"
    r"(?! (?:about|which|what|why|how|when|where|who)\b)",
    re.IGNORECASE,
)
# Whose word a sentence passes on, of those that have no say here, as a team, a boss and a customer have.
SOURCE = (
    r"(?:blogs?|articles?|posts?|docs?|documentation|books?|videos?|tutorials?|talks?|papers?|author|internet|web|forums?"
    r"|threads?|tweets?|podcasts?|courses?|answers?|teacher|professor|friends?|colleagues?|co-?workers?|guy|brother|sister"
    r"|wife|husband|dad|mom|roommate|llm|ai)"
)
THEIRS = r"(?:(?:the|this|that|some|an?|one|my|his|her|old|many|most) ){1,2}(?:[\w.-]+ ){0,2}?" + SOURCE
HEARSAY = (
    LEAD + r"(?:(?:he|she|they|people|some(?:body|one)|(?:chatgpt|gemini|copilot|reddit|wikipedia)|" + THEIRS + r")"
    r"(?: (?:on|in|at|of|from) [\w.-]+(?: \w+)?)? (?:(?:once|always|also|often) )?(?:says?|said|claims?|claimed|thinks?|thought"
    r"|told (?:me|us)|writes?|wrote|recommends?|recommended|suggests?|suggested|insists?|insisted|argues?|argued|believes?"
    r"|advises?|advised)\b|according to " + THEIRS + r"\b"
    r"|i (?:read|heard)(?: (?:somewhere|once|online|(?:on|in) [\w ]{2,20}))?(?: that)? (?:we|you|one|it|that|they|always"
    r"|never)\b)(?!.*[,;] (?:so|please|therefore)\b)"
)
# What is only thought of, what is said in mockery, and what somebody likes to see.
THOUGHT_OF = (
    LEAD + r"(?:(?:now|just|let'?s|lets) )*(?:(?:imagine|suppose|picture|pretend) (?:that|if|we|you|i|it|there|an?|the|every"
    r"|all|our|they|what|how|some\w+)\b|(?:let'?s|lets) say\b|if only\b|i wish (?!you)"
    r"|(?:maybe|perhaps) we (?:should|could|might)\b)"
)
LAUGH = r"(?:(?:ha)+|hehe|lol|lmao|rofl)"
MOCKED = (
    r"^\W*(?:(?:oh|well|ok|and|" + LAUGH + r")\W+)*(?:(?:yeah|yea)\W+right|sure thing|" + LAUGH + r"\W+(?:sure|yeah|yes|right"
    r"|of course)|(?:oh|well|" + LAUGH + r")\W+(?:sure|great|wonderful|brilliant|perfect|fantastic))\W+"
    r"(?:(?:just|let'?s|and) )?(?:always|never|don'?t)\b|\bwhat (?:could|can) (?:possibly |ever )?go wrong|, who needs\b"
    r"|, (?:great|brilliant|genius|smart|fantastic) (?:idea|plan)\W*$|\s/s\W*$"
)
LIKED = (
    r"^\W*(?:[\w']+ )?(?:always|never) (?:an? |so |such )*(?:nice|good|great|fun|cool|lovely|pleasant|satisfying|pleasure|joy"
    r"|treat|relief|glad|happy|funny|weird|scary|sad|annoying|painful|interesting|amazing|exciting|boring|dull)\b"
    r"(?: \w+)?(?: (?:to|when|if|that|how|with|seeing)\b|\W*$)"
)
# What somebody is said to do always or never, though it should be the other way round, and one's own weakness.
BLAMED = (
    LEAD + r"you (?:(?:really|simply|just) )?(?:never (?:ever )?(?:listen|learn|check(?! in| out)|test(?! in| on| against| with)"
    r"|ask(?! the| for)|verify|look|remember|finish|pay|care|think|understand|do (?:what|as)|read (?:what|my|this|it|the)"
    r"|run (?:the |any |our )?(?:\w+ )?(?:tests?|checks?|linter|suite|build))\b"
    r"|always (?:break|forget|mess|lose|screw|miss|confuse|guess|invent|fail|do (?:this|that|it)|get \w+ wrong)\b)"
    r"(?!.*[,;:] (?:so|please|always|never|use|must|do|don'?t|ask|run|we)\b)"
    r"|\bi (?:(?:always|constantly|usually|often|keep|still) (?:on )?(?:forget|forgetting|mess|messing|miss|lose|losing|struggle"
    r"|fail|break|confuse|confusing|mix|wonder|stumble)"
    r"|(?:can )?never (?:remember|know|understand|get|manage|find|recall))\b(?!.*[,;] (?:so|please)\b)"
)
UNMEANT = re.compile(f"{HEARSAY}|{THOUGHT_OF}|{MOCKED}|{LIKED}|{BLAMED}", re.IGNORECASE)
# A sentence that begins like this asks for one piece of work.
STEP = re.compile(
    LEAD + r"(?:(?:now|then|next|first|also|finally|after that|once|let'?s|lets|we should|we need to|can you|could you"
    r"|i want you to|i'?d like you to|go ahead and) )*"
    r"(?:add|build|change|check|clean|compare|continue|convert|copy|create|debug|delete|deploy|document|drop|edit|enter"
    r"|explain|explore|extract|figure|find|finish|fix|generate|get|give|go ahead|"
    r"handle|help|implement|improve|investigate|list|look|merge|migrate|mention|move|open|ping|print|proofread|provide|pull|push"
    r"|refactor|remove|rename|replace|resolve|restore|review|rewrite|save|search|send|"
    r"set|show|split|start|summari[sz]e|sync|take|tell|think|translate|try|turn|undo|update|verify|walk|wire)\b",
    re.IGNORECASE,
)  # fmt: skip
# A piece of work that is asked for: a verb and what it is done to, two such orders in a row, or what is to run at last.
OBJECT = (
    r" (?:(?:up|down|back|out|off|over) )?(?:the|all|every|everything|it|this|that|them|these|those|my|our|both"
    r"|(?:up|down|back|off) [\w.-]+|\w+ (?:up|down|back|again))\b"
)
SECOND = (
    r"(?:run|rerun|start|restart|build|rebuild|test|lint|check|push|merge|deploy|commit|migrate|prune|seed|open|tag|release"
    r"|ship|roll|stop|kill|wipe|reset|delete|remove|update|upgrade|bump|install|verify|tell|show|see|try|fix)\b"
)
TASK = re.compile(
    LEAD + r"(?:(?:bring|spin|tear|boot|fire|start|restart|kill|wipe|reset|seed|rerun|re-run|upgrade|downgrade|bump|patch"
    r"|install|reinstall|scale|roll|revert|ship|release|land|rebuild|recreate|clear|purge|nuke|launch|drain"
    r"|run(?!.* (?:in|for|as|under|inside|at) ))" + OBJECT +
    # behind a comma it may say how a commit looks
    r"|(?:commit|squash) (?:all of )?(?:it|this|that|these|those|them|everything|the rest|my changes)\b(?!.*, .* is )"
    r"|(?:upgrade|downgrade|bump|install|reinstall) [\w./@-]+ (?:to |from |v?\d)|roll back\b"
    r"|(?:let|make|get) (?:the|all|every|my|our) [\w -]{3,40}? (?:to )?(?:run|pass|work|start|compile)(?: \w+){0,2}[.!]*$"
    r"|(?!(?:use|keep|call|put|name|prefer|all|both|only|not|for|in|on|with|at|by|from|of|to|as|than|when|if|while|because"
    r"|since|before|after|during|under|behind|inside|outside|where|what|which|who|why|how|is|are|was|were)\b)[a-z]+"
    + OBJECT + r".* and (?:then )?" + SECOND + ")",
    re.IGNORECASE,
)  # fmt: skip
# What makes such an order one for all times: an occasion, a bound, what is forbidden, how it is done.
LASTING = re.compile(
    r"\b(?:always|never|only|ever|from now on|in (?:the )?future|going forward|as a rule|by default|before"
    r"|after (?!that|this|it\b)|when|whenever|unless|until|without|instead|rather|not|no|nothing|nobody|don'?t|do not"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:if|in case) (?!you (?:must|have|need|can|like|want)\b)"
    r"|(?:with|via|through|using|from|by)(?! .* and " + SECOND + r")"
    r"|(?:every|each|any) (?!(?:\w+ ){0,2}(?:tests?|specs?|suites?|checks?|benchmarks?|jobs?|services?|containers?"
    r"|migrations?)\b)\w+)\b",
    re.IGNORECASE,
)
# Something that a machine suffers, which is over once somebody has worked on it.
TROUBLE = (
    r"(?:run(?:s|ning)? (?:out of (?!the |our |an? )|out\b(?! of)|into|full|dry|low|hot|late|amok)|goes (?:down|away|missing|wrong)"
    r"|takes? (?:up )?(?:all|ages|forever)|times? out)"
)
TROUBLED = re.compile(r"\b" + TROUBLE + r"\b", re.IGNORECASE)
# A question is no statement, even where its mark is missing.
ASKING = re.compile(
    LEAD + r"(?:or )?(?:what|how|where|who|which|when (?:did|do|does|is|are|will)|is|are|was|were(?! (?:on|using|all"
    r"|still)\b)|does|did|do (?:we|you|i|they)|can"
    r"|could|would|should (?:we|i|it|this)|have (?:we|you)|has|will|shall|any|isn'?t|aren'?t|didn'?t|"
    r"don'?t (?:we|you)|wouldn'?t|shouldn'?t)\b(?! (?:you )?(?:always|never|please always))",
    re.IGNORECASE,
)  # fmt: skip
# A question for a reason, and what makes it a reproach: that it happens again, against what, or what holds instead.
WHY = re.compile(LEAD + r"(?:\w+ ){0,3}?why (?:are|did|do|were|would|have) (?:you|we)\b", re.IGNORECASE)
REPROACH = re.compile(
    WHY.pattern + r".*(?:\b(?:told|said|asked|agreed|decided)\b"
    r"|,\s*(?:we|our|not|never|always|use|it|they|that|this|there)\b)"
    r"|" + WHY.pattern + r"(?<=you).*(?:\b(?:again|still|always|constantly|(?:every|each) time|keep(?: on)? \w+ing|not|never"
    r"|without|instead|rather than|prior to|before \w+ing|even though|although|when (?:i|we|there))\b|n'?t\b"
    r"|, (?!please|and|can|could|would|what|how|explain|tell)\w+ \w+)"
    r"|^(?:didn'?t|didnt) (?:that|the|our|i|we)\b.{0,60}\b(?:rule|say|tell|ask|agree)",
    re.IGNORECASE,
)
UNIVERSAL = re.compile(
    r"\b(?:all|every|any|each|always|never|everything|anything|everywhere|anywhere|whenever|nothing"
    r"|nobody|ever|only)\b",
    re.IGNORECASE,
)
# "it", "that", "these": what is meant stands elsewhere.
DEICTIC = re.compile(
    r"\b(?:it|these|those|them|they|the same|above|below|latter|former)\b|\bthis\b(?! (?:repo|repository|project"
    r"|codebase|team|company|lab))|\bthat\b(?=[.,!]|$| (?:is|was|one|file|function|error|test|format))|^that\b",
    re.IGNORECASE,
)
# The end of a sentence that only its neighbours explain.
OPEN_END = re.compile(r"\b(?:it|this|that|these|those|them|one)[.!]*$", re.IGNORECASE)
# A condition on how a thing behaves, where one on what "you" or "we" do is an instruction.
CONDITION = re.compile(LEAD + r"(?:if|when|once|assuming|unless) (?!you\b|we\b|i\b|\w+ing\b|in doubt)", re.IGNORECASE)
# What a product shall do on its screen: a wish for this piece of work.
PRODUCT = re.compile(
    r"\b(?:buttons?|dialogs?|modals?|pages?|headers?|footers?|rows?|columns?|icons?|sidebars?|menus?|screens?|spinners?"
    r"|lists?|charts?|tabs?|fields?|forms?|popups?|tooltips?|cursors?|users?|cards?|panels?|toasts?|banners?|inputs?"
    r"|dropdowns?|tables?|links?|"
    r"colou?rs?|fonts?|views?|windows?|images?|keys?|arrows?|results?|player|enem(?:y|ies)|endpoint"
    r"|response)\b[^,.]{0,40}\b(?:should|must|needs? to|have to|has to|can|will)\b",
    re.IGNORECASE,
)
CODE = re.compile(
    r"`[^`]+`|(?<![\w/])(?:~|\.{0,2})/?[\w.-]+/[\w./-]+|(?<!\S)--?[a-z][\w-]+|\b[\w-]+\.(?:py|js|ts|tsx|jsx|go|rs|rb|java"
    r"|kt|c|h|cc|cpp|cs|php|swift|md|mdc|json|ya?ml|toml|sql|db|sh|css|html|lock|cfg|ini|xml|env|proto|tf|vue)\b"
    r"|\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w+|@[\w./-]+\w|\b[A-Z][A-Z_]{2,}\b|\b\w+\(\)|\b[a-z]+\d+\w*\b|(?<!\w)#[a-z][\w-]+"
    r"|\b\d+(?:[.,]\d+)? ?(?:[mun\u00b5]?s|sec|min|minutes|hours|days|weeks|[kmg]i?b|[MG]i|px|[cmk]?m|%|percent|eur"
    r"|usd|[kmg]?hz|characters|lines)\b"
    r"|\bv\d+\b|\bv?\d+(?:\.\d+)+\b"
    r"|\bmake [a-z]+\b(?<!sure)(?<! the)(?<! it)(?<! a)|(?<=[a-z,] )[A-Z][a-z]\w+|\b(?:to|into|on|from|off) (?:main|master)\b"
    r"|(?i:\b(?:npm|pnpm|yarn|bun|deno|pip|uv|poetry|conda|cargo|maven|gradle|cmake|bazel|docker|podman|kubectl|helm"
    r"|terraform|git|gh|pytest|unittest|jest|vitest|mocha|playwright|cypress|ruff|mypy|eslint|prettier|biome|webpack|vite|"
    r"postgres(?:ql)?|mysql|sqlite|redis|kafka|mongo(?:db)?|s3|aws|gcp|azure|vue|svelte|django|flask|fastapi|rails|node"
    r"|python|typescript|javascript|golang|rust|java|kotlin|swift|tailwind|zod|drizzle|prisma|sqlalchemy|graphql|grpc|"
    r"sentry|datadog|jira|slack|github|gitlab|ci|tabs|spaces|utc|snake_case|kebab-case|camelcase)\b)",
)  # fmt: skip
# What is taken off or added for each; chosen on 281 labelled sentences of seven projects.
FOR_HEDGE, FOR_STEP, FOR_OPEN_END, FOR_CONDITION, FOR_PRODUCT, FOR_UNIVERSAL = -0.3, -0.2, -0.15, -0.3, -0.25, 0.1
WITHOUT_CODE, WITHOUT_NAME = -0.15, -0.1
EARLY = 80  # a hedge behind so many characters is about a detail


def is_task(seen: str) -> bool:
    """Say whether a sentence asks for one piece of work or tells of trouble, and has no word of what holds for all times."""
    return bool(TASK.search(seen) or TROUBLED.search(seen)) and not LASTING.search(seen)


def weight(seen: str, kind: str, part: str = "") -> float:
    """Return what is taken off or added for the way in which something of a kind is said; `part` of it is what says it."""
    part = part or seen
    found = [
        (HEDGE.search(seen[:EARLY]), FOR_HEDGE), (kind != PREFER and STEP.search(seen), FOR_STEP),
        (CONDITION.search(seen), FOR_CONDITION),
        (PRODUCT.search(seen), FOR_PRODUCT), (UNIVERSAL.search(part), FOR_UNIVERSAL),
        (kind != CORRECTION and OPEN_END.search(part), FOR_OPEN_END),
    ]  # fmt: skip
    weights = [each for is_there, each in found if is_there]
    if not CODE.search(part):
        weights += [WITHOUT_CODE, WITHOUT_NAME * bool(DEICTIC.search(part))]
    return sum(weights)
