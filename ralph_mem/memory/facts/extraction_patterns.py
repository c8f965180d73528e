"""What a durable sentence looks like, by kind, with how strongly each form says so.

The forms are English. They were chosen on labelled sentences that people typed to coding agents (docs/benchmarks.md says how
well they do), and each asks for an instruction: a bare "always" or "never" is mostly a description.
"""

import re

from ralph_mem.memory.rows.facts import CORRECTION, DECISION, FACT, PREFER, RULE

# What a sentence may begin with before it says something; each alternative takes at least one character.
LEAD = (
    r"^(?:(?:no|nope|ok|okay|and|but|also|so|please|pls|just|hey|wait|again|actually|btw|fyi|yes|yeah|oh|nb|note"
    r"|reminder|stop|look|sorry|sry)\b[\s,:.!-]*){0,4}"
)
# Where an instruction may begin within a sentence.
OPENS = (
    r"(?:" + LEAD + r"|[,:;(\u2014-]\s*(?:and |but |so |please |just )?|\b(?:please|must|should|and|but|then|(?:want"
    r"|need|have|ask|sure|try|remember|like) (?:you |us )?to) |\b(?:you|we)(?: (?:should|must|need to|have to|ought to"
    r"|want to|will|can|do|want you to|want us to))? )"
)
# Verbs in the form of an order. After "always" and "never" any other word is a description: "never read", "always active".
NO_ORDER = (
    r"(?!\w+(?:ed|ing|ly|able|ous|ful|less)\b|(?:the|a|an|in|on|at|of|to|for|not|so|as|been|empty|true|false|null|none|done"
    r"|ran|wrote"
    r"|was|were|had|got|went|made|saw|came|took|thought|found|built|knew|read in|set up by|seen|gone|shown|written|sent"
    r"|kept|right"
    r"|wrong|enough|mind|again|ever|because|there|here|works?$|happens?|fails?|breaks?|returns?|gets|has|is|are|does|goes"
    r"|there)\b)"
)
# "if we never wrote it": behind these words "we" and "you" tell, and order nothing.
TOLD = (
    r"(?<!\bif )(?<!\bthat )(?<!\bwhy )(?<!\bhow )(?<!\bsince )(?<!\bbecause )"
    r"(?<!\bwhere )(?<!\bwhat )(?<!\bwhen )(?<!\bthey )(?<!\bit )"
)
ORDERS = (
    r"use|run|write|put|keep|add|make|create|call|name|prefer|check|ask|commit|push|format|test|start|stick|avoid|include"
    r"|return|follow"
    r"|pin|bump|rebase|squash|sign|tag|install|deploy|build|read|show|leave|go|do|log|import|update|open|prefix|wrap|quote"
    r"|answer|reply|explain|give|mention|document|verify|lint"
)
# What has none of these is no sentence, and no report.
TERSE = (
    LEAD + r"(?!the |an? )(?!.*\b(?:is|are|was|were|be|it|this|that|i|we|want|need|you|he|she|they|does|do|did|has|have|why"
    r"|or|if)\b)"
)
# Ways to work that have a name: who says one of them means it for good.
PRACTICE = (
    r"\b(?:conventional commits?|table[- ]driven|type hints?|(?:british|american|plain|simple) english|imperative mood"
    r"|(?:british|american) spelling|(?:sentence|title) case in \w+|(?:oxford|serial) commas?"
    r"|semver|semantic versioning|trunk[- ]based|early returns?|guard clauses?|strict mode|one idea a commit|atomic commits?)\b"
)
OCCASION = (
    r"\b(?:every time|each time|any time|anytime|whenever|(?:before|after) (?:every|each|any|you|we|\w+ing)|for (?:every"
    r"|each|any) (?!of\b)\w+|when(?:ever)? (?:you|we|fixing|adding|writing|changing|creating|making|committing|editing"
    r"|running|doing|touching|working))\b"
)
TASTES = (
    r"answers?|responses?|repl(?:y|ies)|explanations?|summar(?:y|ies)|comments?|commits?|messages?|names?|functions?"
    r"|files?|tests?|code|diffs?|prs?|output|docs?|types?|branch(?:es)?|changes|names|classes|modules|methods|imports?|errors?"
)
SOMEWHERE = r"(?:live[sd]?|belongs?|goes?|are kept|is kept|are stored|is stored|sits?|go under|are checked in|is checked in)"

# A thing without an article, one word or a few, at the beginning or behind a comma: it is meant in general.
BARE = (
    r"(?:^|[,:;.] )(?:(?:no|and|so|but|oh|here|as i said,?) )*(?!(?:the|this|that|these|those|it|they|he|she|i|you|we|there"
    r"|some|what|who"
    r"|which|how|where|when|why|if|as|one|two|something|nothing|then|now|please|your|his|her|their|my|an?) )(?:[\w-]+ ){1,4}?"
)
BARE_OR_A = r"(?:^|[,:;.] )(?:(?:no|and|so|but|oh) )*(?:an? [\w-]+ |" + BARE + r")"


def _form(kind: str, strength: float, pattern: str) -> "tuple[str, float, re.Pattern[str]]":
    return kind, strength, re.compile(pattern, re.IGNORECASE)


# Kind, strength, what it looks like; of several that match the strongest counts.
FORMS = (
    # what a person says of all times to come
    _form(RULE, 0.9, r"\b(?:from now on|going forward|from here on(?: out)?|as a (?:general )?rule|as a rule of thumb"
    r"|for future reference|in (?:the )?future|for all future|in all future)\b"),
    _form(RULE, 0.95, r"\b(?:make|create|add|write|record|update|extend)(?: \w+){0,3} (?:rules?|conventions?"
    r"|guidelines?)\b.{0,40}?\b(?:that|to|about|which|saying|so)\b.{8,}"),
    _form(RULE, 0.95, r"\b(?:add|put|write|note|save|record|document|mention)\b.{0,80}\b(?:to|in|into) (?:your |the "
    r"|our )?(?:claude\.md|agents\.md|memory|notes|rules|conventions?|contributing)\b"),
    _form(RULE, 0.85, r"\b(?:keep in mind|bear in mind|note for (?:later|the future|next time)|don'?t forget(?: that| to)?"
    r"|remember (?:that|to|we|not to|the|this|our)|be aware that|make sure (?:that )?(?:you|we|to) (?:always|never))\b"),
    _form(RULE, 0.85, OPENS + TOLD + r"(?:always|never|never ever)\s+" + NO_ORDER + r"(?:\w|`)"),
    _form(RULE, 0.8, r"\b(?:must|shall|has to|have to|need to|needs to|may) (?:always|never|only ever) (?!have been)\w"),
    _form(RULE, 0.7, r"\bshould (?:always|never|only ever|only) (?!have been)\w"),
    _form(RULE, 0.8, OCCASION + r"[^,;]{3,90}, ?(?:then |please |always |first |also |you |we "
    r"|just )*(?:" + ORDERS + r"|don'?t|never|must|should|need|have)\b"),
    _form(RULE, 0.8, LEAD + r"(?:always )?(?:first )?(?:" + ORDERS + r")\b.{2,100}\b" + OCCASION),
    _form(RULE, 0.7, OCCASION + r"[^,;]{3,60}\b(?:must|should|needs?|has to|have to) (?!be able|work|show|see|happen|look)\w+"),
    _form(RULE, 0.75, LEAD + r"(?:it'?s |that'?s |this is )?(?:not allowed|forbidden|off[- ]limits|required|mandatory"
    r"|against (?:our|the) (?:rules|policy|conventions?))\b"),
    _form(RULE, 0.7, r"\b(?:(?:is|are) (?:not allowed|forbidden|off[- ]limits|read[- ]only|mandatory)|must not|must never"
    r"|mustn'?t|never to be|not to be (?:edited|touched|changed|committed))\b"),
    _form(RULE, 0.7, r"\b(?:all|every|each|any|new|no|only) (?!of\b|one\b|you\b|we\b|i\b)[\w`./ -]{2,60}?\b(?:must|should"
    r"|shall|have to|has to|need to|needs to|needs?|get|gets|goes|go|may|can) (?:be |have |use |go |start |end |not "
    r"|pass |come |live |include |a |an |in |into |through |with )"),
    _form(RULE, 0.65, r"\bmust (?:be|have|use|go|pass|match|start|stay|run|follow|include)\b"),
    _form(RULE, 0.8, LEAD + r"(?:use|set|keep|put|write|name|start|end|begin|include|run|call|pass|prefix|quote|log|report"
    r"|sign)\b.{3,80}\b(?:in|for|to|on|with|at|of|before|after|by) (?:every|any|each|all (?!the|of|these|those|my|three"
    r"|four|five))\w*"),
    # forbidding
    _form(RULE, 0.7, r", (?:and )?never (?:in|on|to|by|from|with|at|directly|locally|the|a|an|as)\b"),
    _form(RULE, 0.75, OPENS + r"(?:do not|don'?t|dont|never|stop|quit|avoid|refrain from)(?: you)? (?:ever )?(?!need|want"
    r"|know|think|worry|understand|see|believe|care|get|have|the|here|now|there|it\b|that\b"
    r"|this\b)\w.{0,140}\b(?:without|unless|ever|any(?:where|thing|more)?|again|directly|by hand|manually|yourself"
    r"|in (?:prod|production|main|master)|to (?:main|master|prod|production))\b"),
    _form(RULE, 0.7, OPENS + r"(?:do not|don'?t|dont) (?:ever )?(?!need|want|know|think|worry|understand|see|believe|care"
    r"|get|have|the|here|now|there|it\b|that\b|this\b|forget|be )(?:" + ORDERS + r"|edit|touch|change|delete|remove"
    r"|modify|mock|skip|ignore|disable|assume|guess|suggest|tell|apologi[sz]e|repeat|invent|amend|force|hardcode"
    r"|hard-code|reformat|mix|rely|bother|leave|introduce|swallow|catch|print|mess|reach|start|stop|propose|offer)\b"),
    _form(RULE, 0.7, LEAD + r"(?:no|zero|never any) (?!change|problem|idea|need|worr|result|luck|way|one\b|it\b|that\b"
    r"|this\b|i\b|we\b|you\b|the\b|longer|matter|reason|rush|not\b|more\b|thanks|let'?s\b)[\w`-]+(?: [\w`-]+){0,4}(?: in | on "
    r"| please| unless | without | after | before | for | from | into | between | outside | inside |,? ?(?:ever"
    r"|anywhere|at all)\b|[.!]?$)"),
    _form(RULE, 0.7, LEAD + r"(?:never|avoid|quit|stop) (?!it\b|that\b|this\b|here\b|the\b|mind\b)" + NO_ORDER + r"?\w"),
    _form(RULE, 0.75, r"\b(?:like|as) (?:everywhere|always|in all|in every|the (?:others?|rest))\b"),
    _form(RULE, 0.65, LEAD + r"\S+(?: \S+){0,3} (?:for|in|on|with) (?:every|all|any|each) (?!the\b|of\b|these\b|those\b"
    r"|time\b|my\b)\w+"),
    _form(RULE, 0.75, r"\bshould be \S.{0,40} (?:in|for|on) (?:every|all|any|each)\b"),
    _form(RULE, 0.75, r"\b(?:has|have|needs?|must|should) (?:to )?(?:stay|remain|be|keep) (?:under|below|above|within"
    r"|at most|less than|reversible)\b"),
    _form(RULE, 0.7, LEAD + r"(?:(?:every|each|all|any) (?!time\b|one\b|of\b|i\b|you\b|we\b)"
    r"|(?:any|every)thing (?!else\b|i\b|you\b|we\b|in\b|on\b|here\b|there\b|about\b|now\b))[\w -]{2,40} (?:has|have|gets?"
    r"|goes|go|needs?|comes?)\b"),
    _form(RULE, 0.7, LEAD + r"(?:for|in) (?:my |our |the |all )?\w+s,? (?:i (?:want|like|would|prefer|need)|we (?:use|want"
    r"|write)|please|use|always|never)\b"),
    _form(RULE, 0.7, r"^(?!.*\b(?:you|i|it|this|that|is|are|was)\b).{8,120}, not (?:the|a|an|in|one|by|with|as)\b"),
    _form(RULE, 0.75, PRACTICE),
    _form(RULE, 0.75, OPENS + r"(?:do not|don'?t|dont|never) (?!need|want|know|think|worry|have\b|(?:\w+ )?(?:it|that|this"
    r"|them)\b)\w+ .{0,60}\b"
    r"(?:before|during|outside|while) (?!that\b|this\b|it\b|then\b)\w+"),
    _form(RULE, 0.7, LEAD + r"(?:every|each|anything|everything) (?!time\b|one\b|of\b|i\b|you\b|we\b|is\b|works?\b|looks?\b)"
    r"(?:[\w-]+ ){1,4}(?:exposes|listens|starts|ends|returns|uses|carries|ships|takes|lives|gets|goes|comes|belongs|passes) \w"),
    # a few words without a verb: this not that, no this but that, only this
    _form(RULE, 0.8, TERSE + r"(?:[\w`./#+-]+ ){0,4}[\w`./#+-]+,? (?:not|never) (?!sure|yet|working|there|found|now|really|bad|you"
    r"|me\b|good|right|ok\b|much|only\b|just\b|even\b|so\b|all\b|enough|able|exactly)[\w`./#+-]+(?: [\w`./#+-]+){0,2}[.!]*$"),
    _form(RULE, 0.8, TERSE + r"(?:no|zero|without) (?!errors?\b|warnings?\b|fail|output|tests?\b|idea|problem|change|need|luck"
    r"|way|worr|reason|thanks|longer|one\b|matter"
    r"|rush)"
    r"[\w`./#+-]+(?: [\w`./#+-]+){0,2}(?: please)?[,:;] ?(?:use |only |just |take |write )?[\w`./#+-]+(?: [\w`./#+-]+){0,3}[.!]*$"),
    _form(RULE, 0.8, TERSE + r"(?:[\w`./#+-]+ ){1,4}only(?: (?:from|in|via|through|with|on|for|by"
    r"|at) [\w`./#+-]+(?: [\w`./#+-]+)?)?"
    r"(?:,? please)?[.!]*$"),
    _form(RULE, 0.8, TERSE + r"(?:[\w`./#+-]+ ){1,4}only (?:on )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun|week)days?|weekends)\b"
    r"(?: [\w:]+){0,4}(?:,? please)?[.!]*$"),
    _form(PREFER, 0.75, TERSE + r"(?:all )?(?:" + TASTES + r"|commit messages?|identifiers?|docstrings?|changelogs?) (?:only )?in"
    r" (?:(?:british|american|plain|simple) )?(?:english|german|french|spanish|italian|portuguese|dutch)\b"),
    _form(RULE, 0.8, LEAD + r"(?:commits?|commit messages?|prs?|pull requests?|branch(?:es| names)|docstrings?|identifiers?"
    r"|headings?|(?:error|test|file|changelog) (?:names|entries|messages)): (?:conventional|imperative|semantic|short|always"
    r"|never|only|without|in|no|(?:lower|snake|kebab|camel|sentence|title)[ _-]?case|present tense)\b"),
    _form(RULE, 0.8, LEAD + r"(?!(?:why|what|how|where|who|i|it|that|this)\b)[\w`./-]+(?: [\w`./-]+){0,4} " + OCCASION
    + r"[^,;?]{0,40}, always[.!]*$"),
    # what may not be, as one politely says it
    _form(RULE, 0.75, r"\b(?:banned|off the table|taboo)\b|\b(?:may|must|should|shall) (?:i ask you )?not (?:be|end up|leave"
    r"|contain|go|to)\b|\bask you (?:not|never) to\b"),
    _form(RULE, 0.75, r"\b(?:can ?not|can'?t|may not|don'?t|do not|never) (?:\w+ ){1,4}without (?:my|our|an?) (?:ok|okay"
    r"|approval|consent"
    r"|permission|review|go|migration|test)\b|\b(?:needs?|requires?) my (?:ok|okay|approval|consent|permission|review)\b"
    r"|\b(?:first )?ask me (?:first|before|rather)\b|\bfirst ask me\b"),
    # this and not that
    _form(RULE, 0.8, OPENS + r"(?:use|run|prefer|install|write|call|import|go|stick|test|build|format|deploy|commit|edit"
    r"|keep|put|store|place|leave|reach for|go through|name)\b.{1,90}?(?:\binstead of\b|\brather than\b|\bover\b"
    r"|[,;-] ?(?:and )?(?:not|never"
    r"|no)\b|\band (?:not|never)\b|\bnot (?=`|[\w-]+[.!]?$))"),
    _form(RULE, 0.75, r"\b(?:use|run|go through|stick (?:to|with)|prefer) (?:our |the |only |just )*`[^`]+` (?:for|to|when"
    r"|as|everywhere|here|in|on|with)\b"),
    _form(RULE, 0.7, LEAD + r"(?:always |only |must )?(?:use|prefer|stick (?:to|with)|go through) .{2,80}\b(?:for (?:all"
    r"|every|any|everything|the whole|each|\w+ing)|everywhere|across|in (?:this|the|our) (?:repo|project|codebase)"
    r"|throughout)\b"),
    _form(CORRECTION, 0.75, r"\bnot (?:`[^`]+`|npm|yarn|pnpm|bun|pip|poetry|master|main|tabs|spaces)\b"),
    # how things are here
    _form(FACT, 0.75, r"\b(?:this|our|the) (?:project|repo(?:sitory)?|codebase|team|monorepo|package|backend|frontend|api"
    r"|service|company|app) (?:uses?|is (?:written|built|deployed|hosted|on|using)|runs? on|targets?|requires?"
    r"|supports?|follows?|lives?|deploys?|relies)\b"),
    _form(FACT, 0.7, r"(?:^|[,:;] |\b(?:and|but|so|that|because|since|here|there) )we (?:only |still |also |all |now "
    r"|never |don'?t |do not |dont |no longer )*(?:use|run|deploy|ship|release|target|support|host|store|keep|pin"
    r"|require|follow|squash|rebase|tag|build with|write|name|call|sort|prefix|log|format|lint|test)\b"),
    _form(FACT, 0.7, r"\b(?:the|our|my|all|new|shared|generated|integration|unit"
    r"|e2e)\b[\w`/. -]{2,70}\b" + SOMEWHERE + r" (?:in|at|under|on|to|inside|next to|beside|behind)\b.{2,}"),
    _form(FACT, 0.7, r"\b(?:the|our|my) (?:default |main |staging |production |prod |dev |test |local |release |base |project "
    r"|shared )*(?:branch|database|db|server|port|url|endpoint|environment|env|region|package manager|version|domain"
    r"|bucket|cluster|registry|timezone|time zone|formatter|linter|framework|convention|policy|style guide|stack"
    r"|license|default|deadline|budget|app ?id|id|owner|maintainer|name|repo|remote|runner|ci|pipeline|schema|queue"
    r"|cache|host|node version|python version|account|channel|board|tracker)\b[\w` -]{0,40} (?:is|are|=|runs?|lives?"
    r"|needs?(?! (?:\w+ing|to be)\b)) "
    r"(?!not? |never |always |wrong|broken|failing|down|empty|missing|stuck|slow|still|now|just|correct|fine|ok)\S"),
    _form(FACT, 0.7, LEAD + r"(?:[\w`./-]+ ){1,6}(?:go|goes|live|lives|belongs?|sits?|stays?) (?:in|under|into|inside|to"
    r"|next to|with|on|at)\b.{2,}"),
    _form(FACT, 0.7, r"\b(?:is|are) (?:only )?(?:needed|required|mandatory|reserved) (?:for|to|by|in)\b"),
    _form(FACT, 0.65, r"\b(?:only|never|always) (?:happens?|goes|go|runs?|ships?|deploys?|merges?|releases?) (?:on|from|to"
    r"|through|via|in|at|with|by|after)\b"),
    _form(FACT, 0.7, r"\b(?:in|across|throughout) (?:this|our) (?:company|project|repo|repository|codebase|team|org"
    r"|organi[sz]ation|house|lab|app|shop)\b"),
    _form(FACT, 0.7, r"\b(?:the|our|my) (?!error|bug|problem|issue|fix|failure|failing|cause|reason|culprit|change|diff"
    r"|output)[\w /-]{3,60} (?:is|are|=) (?:in |at |on |under |called |named )?(?:`[^`]+`|[\w.-]+/[\w./-]+|https?://\S+)"),
    _form(FACT, 0.7, r"\b(?:is|are) (?:owned|maintained|deployed|generated|managed|hosted|handled|built|published"
    r"|released) (?:by|from|with|on|through|via|in|automatically)\b"),
    _form(FACT, 0.65, r"(?:^|[,;:] |\b)so (?:the|our) .{2,40} is [\w`.-]+[.!]?$"),
    _form(FACT, 0.7, r"\b(?:used to be|moved (?:from \S+ )?to|was renamed|got renamed|has been renamed|(?:is|was|are"
    r"|were) replaced (?:by|with)|is deprecated|are deprecated|no longer (?:use|used|exists?|supported|want|need"
    r"|support|run|ship))\b"),
    _form(FACT, 0.7, r"\b(?:only works?|works only|(?:only )?runs? only|needs?|requires?) (?:with|on|when|if|at least"
    r"|python|node|java|go|docker|a vpn|the vpn|root|sudo|version)\b"),
    _form(CORRECTION, 0.75, LEAD + r"(?:\w+ ){0,2}i said (?!that\b|it\b|to\b|so\b"
    r"|the\b)[\w`.-]+(?: [\w`.-]+){0,2}(?:[,;.!]|$)"),
    _form(CORRECTION, 0.65, r"\bi (?:said|wanted)\b.{3,}(?:\bnot\b|\binstead\b|\bnever\b|\balways\b)"),
    _form(FACT, 0.75, r"\b(?:we'?re|we are|were) (?:still |all )?on (?:\w+ )?v?\d"),
    _form(FACT, 0.75, r"\bwe (?:only |still |all )?(?:work with|use|write|build) .{1,60}\b(?:here"
    r"|everywhere)\b"),
    _form(FACT, 0.7, LEAD + r"(?:all|every|each) (?:(?:of )?(?:our|my) )?[\w -]{3,40} (?:is|are) (?:in|on|under|from|by"
    r"|named|called|stored|kept|written)\b"),
    _form(FACT, 0.7, r"\b(?:is|are) (?:the |our )?(?:max(?:imum)?|min(?:imum)?|limit|standard|norm)\b"),
    _form(FACT, 0.7, r"\b(?:staging|prod|production|dev|trunk|qa|ci|uat|live) (?:is|=) (?!not\b|down|broken|fail|up\b|red"
    r"|green|fine|ok|slow|back|stuck|dead|still|now|hosed|the same)\w"),
    _form(RULE, 0.65, r"\b(?:gets?|get) (?:wrapped|named|prefixed|tested|logged|sorted|validated|escaped|formatted|stored"
    r"|squashed|reviewed) (?:with|by|in|as|on|to)\b"),
    # what a thing of a trade does or is: no article, or "a"; through what it goes, from what amount on
    _form(FACT, 0.7, BARE + r"(?:logs?|signs?|happens?|comes?|connects?|arrives?|lands?|flows?|authenticates?)(?: in| out| up)?"
    r" (?:through|via|from|in|over|by|with|to|on|into|at)\b"),
    _form(RULE, 0.65, BARE_OR_A + r"(?:(?:is|are) )?(?:never|always) (?!been\b)\w+"),
    _form(FACT, 0.75, r"(?:^|[,:;.] )(?:(?:no|and|so|but|oh) )*(?:an?|the)? ?[\w-]+(?: \w+)? (?:over|above|under|below|beyond"
    r"|older than|up to) [\w$.]+ ?\w* (?:needs?|require|has to|have to|must|gets?|goes|go|(?:is|are) (?:shown|stored|approved"
    r"|rejected))\b"),
    _form(FACT, 0.7, r"\b(?:box|machine|host|cluster|runners?|servers?|network|laptops?|boards?)\b.{0,25}"
    r" (?:is|are|have|has|isn'?t|aren'?t) (?:offline|air-?gapped|read-?only|shared|no internet|swapped|called|behind)\b"),
    _form(FACT, 0.7, BARE + r"(?:(?:do|does|can|may|must) ?n[o']t (?:have|use|exist|get|need|share)|(?:have|has|need|carry"
    r"|carries|keep"
    r"|own|belong) (?:an?|two|three|four|their|no|to|only) )"),
    # what something means, and how much a thing can do
    _form(FACT, 0.8, r"(?:" + LEAD + r"|[,:;] )(?:an?|no) (?:[\w`-]+ ){1,3}means (?!i\b|we\b|you\b|it\b|this\b|to\b|nothing\b"
    r"|much\b|little\b|more\b|less\b)(?:that )?\w.+"),
    _form(FACT, 0.75, r"\b(?:the|our) [\w -]{2,30} only (?:does|do|supports?|takes?|accepts?|handles?|speaks?|allows?)"
    r" (?:up to |at most )?\d"),
    # what a person likes
    _form(PREFER, 0.8, r"\b(?:i|we)(?:'d|'m| would| really| much| strongly| always| generally| usually| do)* (?:prefer"
    r"|rather you|rather we|rather have|hate|can'?t stand|insist|favou?r|dislike)\b(?! (?:it|this|that|not)[.!]?$)"),
    _form(PREFER, 0.75, r"\bi (?:like|love|want|expect|need) (?:my|our|your|all|short|small|long|explicit|plain|simple"
    r"|every|everything|each|things|to (?:see|know|review|approve|decide|be asked|keep|have|write)|you to (?:always"
    r"|never|ask|stop|only|keep|tell|first|be|explain|show|write|use|run|check)|\w+ (?:grounded |factual )?information)\b"),
    _form(PREFER, 0.75, r"\bi (?:always|never|only|usually) (?:want|use|write|run|work|commit|review|merge|read|deploy"
    r"|prefer|like|keep)\b"),
    _form(PREFER, 0.5, r"\bwe (?:don'?t|do not|dont|really don'?t|never) (?:like|want|love|care for)\b(?! (?:it|this|that"
    r"|to (?:do|go|make|change|touch|add) (?:it|this|that))\b)"),
    _form(PREFER, 0.75, r"\bi (?:don'?t|do not|dont|really don'?t|never) (?:like|want|love|care for)\b(?! (?:it|this|that"
    r"|to (?:do|go|make|change|touch|add) (?:it|this|that))\b)"),
    _form(PREFER, 0.75, LEAD + r"(?!make it (?!(?:\w+ )?(?:short|small|brief|terse|concise|simple|minimal|plain|consistent)))"
    r"(?:keep|make|be|stay) (?:your |the |all |my |our |any )*(?:" + TASTES + r"|it|things"
    r"|concise|brief|terse|short|direct|honest|explicit|consistent)\b(?: \w+){0,2}(?: (?:short|small|brief|terse"
    r"|concise|simple|minimal|focused|flat|plain|to the point|under|below|in|at|consistent|free|lean|separate"
    r"|self-contained|tiny|english|alphabetical|sorted)\b|[.!,]|$)"),
    _form(PREFER, 0.75, r"\b(?:answer|reply|respond|write|talk|speak)(?: to)?(?: me| us)?(?: only)? in (?:english|german"
    r"|french|spanish|bullet|plain|short|full|one|complete|british|american|\w+ words)\b"),
    _form(PREFER, 0.8, r"\bmy (?:preference|preferred|style|convention|favou?rite|rule|editor|shell|timezone|time zone"
    r"|machine|laptop|name|handle|default)\b.{0,40}\b(?:is|are|=)\b"),
    _form(PREFER, 0.8, r"\b(?:short|brief|concise|terse|long|detailed) (?:answers?|explanations?|replies|responses"
    r"|summar(?:y|ies)|commits?|functions?|names)\b"),
    _form(PREFER, 0.8, r"\b(?:explain|answer|reply|write|tell me)\b.{0,30}\b(?:short|briefly|concisely|shortly|in short)\b"),
    _form(PREFER, 0.8, r"\bi(?:'m| am|m)? (?:don'?t|dont|do not|not|won'?t|never) read(?:ing)?\b"),
    _form(PREFER, 0.65, r"\bi want (?!an?\b|the\b|to\b|you\b|it\b|this\b|that\b|one\b|more\b|less\b|another\b|all\b"
    r"|some\b|also\b|only\b"
    r"|them\b|these\b|those\b|both\b)[a-z]+(?:[,.!]|$| everywhere\b| not\b)"),
    # what was decided
    _form(DECISION, 0.7, r"\b(?:that|this|it|which) (?:is|was) (?:decided|settled|agreed)\b|\bstays (?:until|as|in|on|for)\b"),
    _form(DECISION, 0.75, r"\b(?:we|the team|everybody|everyone|management)(?:'ve|'re| have| are|'ll| will)*(?: now"
    r"| already| just| all| finally)* (?:decided|agreed|settled|chose|chosen|opted|standardi[sz]ed|standardi[sz]ing"
    r"|going with|committed to|picked|sticking with|switched|switching|migrated|migrating|moved|moving) (?:to|on|for"
    r"|from|that|against|over|with|`|[A-Za-z])"),
    _form(DECISION, 0.75, r"\bi(?:'ve| have)? (?:now |just |finally )?(?:decided|settled|chosen|chose|opted) (?:to|on|for"
    r"|that|against|not)\b"),
    _form(DECISION, 0.75, LEAD + r"(?:the |our )?decision(?: is\b| was\b|:| made\b)"),
    _form(DECISION, 0.7, LEAD + r"(?:let'?s|lets|we'?ll|we will) (?:go|stick|stay) with (?!this\b|that\b|it\b|option"
    r"|the (?:first|second|third|last|latter|former)|your|these|those|a\b|an\b|\d)"),
    _form(DECISION, 0.7, r"\b(?:record|capture|document|note|log) the decision\b"),
    _form(DECISION, 0.65, r"\bwe(?:'re| are) (?:now )?(?:tracking|keeping|using|storing|on|targeting|supporting|deploying)\b"),
    _form(DECISION, 0.65, r"\b(?:stays|remains?|stay) (?:on its own|separate|as (?:it is|is)|where (?:it|they)|unchanged"
    r"|in charge|frozen|the source of truth)\b|\bsource of truth\b"),
    # what the agent was told off for
    _form(CORRECTION, 0.75, LEAD + r"why (?:are|did|do|were|would|have) (?:you|we) (?!not\b|able|think|need|see"
    r"|still have)(?:\w+ ){0,3}?(?:us|edit|chang|start|mak|writ|put|ad|creat|runn|delet|remov|commit|push|mock|skip"
    r"|ignor|ask|install|mov|renam|import|call|us)\w*\b"),
    _form(CORRECTION, 0.75, r"\b(?:you|you'?ve|you have|you just|you again|you still|you made|you keep|you are"
    r"|you'?re)(?: \w+){0,2} (?:edit|updat|modif|us|chang|writ|wrot|put|ran|runn|commit|push|creat|add|delet|remov"
    r"|forg[eo]t|skipp|ignor|mock|install|broke|break|made|mak|mov|ask|start|nam)\w*\b.{0,120}(?:,? (?:but )?not (?:in "
    r"|on |to |with |from )?(?:the|a|our|my|`|\w+ing)|\binstead of\b|\bagain\b|\bwithout\b|\brather than\b)"),
    _form(CORRECTION, 0.8, r"\bi (?:asked|told|already told|already said|have told|keep telling|specifically asked"
    r"|explicitly asked|explicitly told)(?: you)?(?: \w+){0,2} (?:to|not|that|we|never|about|many|twice|before|you)\b.{3,}"),
    _form(CORRECTION, 0.75, r"\b(?:how many times|once again|yet again|like i said|as i said|i repeat"
    r"|as (?:is )?specified (?:by|in)|per (?:our|the|@)|according to (?:our|the|@)|as per)\b"),
    _form(CORRECTION, 0.7, LEAD + r"(?:that'?s|thats|this is|that is|it'?s) (?:not right|wrong|not how|not what|not the way"
    r"|against|not our|not correct|incorrect)\b.{0,30}\b(?:use|we|you|always|never|should|must|our|do)\b"),
    _form(CORRECTION, 0.7, r"\bdo (?:it|that|this|them) (?:yourself|instead|by yourself|without asking|for me)\b"
    r"|\b(?:without asking(?: me)?|yourself, always|dont ask|don'?t ask me|stop asking)\b"),
)  # fmt: skip
