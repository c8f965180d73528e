"""Two hundred texts that would run a script, break out of their box, or pass for something else."""

CALL = "window.owned=1"
SCRIPTS = (
    f"<script>{CALL}</script>",
    f"</textarea><script>{CALL}</script>",
    f"</title><script>{CALL}</script>",
    f"</pre></main></body><script>{CALL}</script>",
    f'"><script>{CALL}</script>',
    f"'><script>{CALL}</script>",
    f'" autofocus onfocus="{CALL}" x="',
    f"' onmouseover='{CALL}' x='",
    f"<img src=x onerror={CALL}>",
    f"<svg onload={CALL}>",
    f"<svg><script>{CALL}</script></svg>",
    f"<body onload={CALL}>",
    f"<iframe srcdoc='<script>parent.{CALL}</script>'>",
    f"<details open ontoggle={CALL}>",
    f"<video><source onerror={CALL}>",
    f"<a href='javascript:{CALL}'>a</a>",
    f"javascript:{CALL}",
    f"data:text/html,<script>{CALL}</script>",
    f"<meta http-equiv=refresh content='0;url=javascript:{CALL}'>",
    f"<base href='//evil.example/'><script>{CALL}</script>",
    f"<form><button formaction='javascript:{CALL}'>a</button></form>",
    f"<math><mtext><img src=x onerror={CALL}></mtext></math>",
    f"<style>@import 'javascript:{CALL}'</style>",
    f"{{{{ ''.__class__ }}}} {{% raw %}} <script>{CALL}</script>",
    f"<!--<script>{CALL}</script>-->",
    f"<![CDATA[<script>{CALL}</script>]]>",
    f"\\u003cscript\\u003e{CALL}\\u003c/script\\u003e",
    f"&lt;script&gt;{CALL}&lt;/script&gt;",
    f"<scr\u200bipt>{CALL}</scr\u200bipt>",
    f"\uff1cscript\uff1e{CALL}\uff1c/script\uff1e",
)
SHAPES = (
    "w" * 4_000,
    "\u202e right to left \u2066 isolated",
    "e" + "\u0301" * 500,
    "\ufdfd" * 200,
    "<div style='position:fixed;inset:0;background:red'>all of it</div>",
    "<table><tr><td>" * 50,
    "line\n" * 400,
    "\t" * 300 + "end",
    "</bdi></td></tr></table></article></section>",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 " * 100,
)
WRAPPED = ("{}", "Releases go out: {}", "{} at the end", "`{}`", "one\ntwo {}")
TEXTS = [form.format(text) if form != "{}" else text for text in (*SCRIPTS, *SHAPES) for form in WRAPPED]
