"""Tell greetings, thanks, praise and assent, which no session was about, from what a person asks and says."""

from ralph_mem.memory.rows import index_text

# Words of which a remark consists, beside stop words: how people thank, praise, agree and greet in the most common languages.
WORDS = frozenset(
    "thx ty tysm cheers appreciated appreciate awesome amazing excellent super brilliant wonderful lovely sweet neat superb"
    " impressive splendid fantastic beautiful brill kudos bravo congrats yay nice looks look work works job lot lots much so"
    " very love happy glad lgtm done agreed understood alright absolutely exactly correct yup yeh aye danke dank vielen besten"
    " herzlichen perfekt prima klasse toll wunderbar genau gut gerne ja passt stark spitze sehr merci beaucoup bien parfait"
    " genial génial oui très tres bon gracias muchas muchísimas vale perfecto muy sí si claro grazie mille perfetto ottimo"
    " bene molto certo obrigado obrigada muito perfeito ótimo otimo valeu bom bedankt dankjewel top goed mooi fijn tack takk"
    " tak kiitos dziękuję dzieki dzięki děkuji diky díky спасибо отлично хорошо супер да дякую teşekkürler sağol tamam"
    # and greet
    " morning mornin evening afternoon day night guten morgen moin abend tag nacht hallo servus bonjour bonsoir salut bonne journée"
    " soirée buenos buenas días tardes noches hola boa dia tarde noite olá oi buongiorno buonasera buon giorno buona sera ciao"
    " goedemorgen goedemiddag goedenavond god dag hej".split()
)
# And in scripts without blanks, with what may follow them.
BEGUN = ("ありがとう", "完璧", "了解", "谢谢", "謝謝", "太好了", "很好", "감사", "고마워")
LONGEST = 60  # characters: a longer prompt says more


def is_remark(asked: str) -> bool:
    """Say whether a prompt is nothing but that."""
    if len(asked) > LONGEST or "?" in asked:
        return False
    words = [word.lower() for word in index_text.split(asked)]
    return all([word in index_text.STOPWORDS or word in WORDS or word.startswith(BEGUN) for word in words])
