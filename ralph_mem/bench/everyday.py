"""Prompts that occur in any project and that no project's memory answers, one a line, by kind.

Written for the benchmark; the questions about technology keep away from what the public sets are about.
"""

SMALL_TALK = """
hi
Hello there, how are you today?
good morning! ready to get started?
thanks, that was really helpful
Thank you so much, you saved me a lot of time today
perfect, exactly what I wanted
nice work
haha, fair enough
ok cool
Sorry, I was away for lunch. Where were we?
never mind, I figured it out myself
let's call it a day
Can you please be a bit more concise in your answers?
please answer in German from now on
Tell me a joke about programmers.
please write a haiku about autumn leaves
what's your name, and who made you?
What can you do for me?
are you sure about that?
I don't understand what you just said, can you explain it more simply?
hmm, that doesn't look right to me
why did you do it that way?
I'm tired and nothing works today.
Give me a moment, someone is at the door.
Wish me luck, I have a job interview tomorrow.
what time is it?
What should I cook tonight with rice, eggs and spinach?
Write a short limerick about a lazy penguin.
Can you recommend a good science fiction novel?
happy new year!
"""

GOING_ON = """
continue
go on
yes
yes, please do that
no, undo that
ok, do the next one
try again
keep going until you are done
run it again and show me the output
do all of them
the second option, please
sounds good, go ahead
stop, that's enough
wait, go back one step
now do the same for the other file
fix it
please finish what you started
make it shorter
looks good, commit it
and now clean up after yourself
show me the diff again
explain this line by line
is there a simpler way?
what is left to do?
double-check your work please
summarize what you just did in two sentences
add some comments to that
1
/compact
do it
"""

GENERAL_KNOWLEDGE = """
What is the capital of Mongolia?
How many moons does Jupiter have?
Who painted the ceiling of the Sistine Chapel?
Explain the difference between weather and climate.
How far away is the Andromeda galaxy in light years?
What is the boiling point of nitrogen in kelvin?
When did the Roman Republic become the Roman Empire?
How do vaccines train the immune system?
Why is the sky blue at noon and red at sunset?
What does the Latin phrase "carpe diem" mean literally?
Convert 72 degrees Fahrenheit to Celsius.
What is the square root of 1764?
Give me the first ten prime numbers above one hundred.
Which amino acids are essential for humans?
How does a heat pump move heat from cold to warm?
What is the plot of Hamlet in three sentences?
How long do blue whales live on average?
Explain compound interest with an example over ten years.
What is the difference between a crocodile and an alligator?
Which countries border Paraguay?
How is parmesan cheese traditionally made?
What were the causes of the Thirty Years' War?
Translate "the harvest was poor this year" into Portuguese.
How do noise-cancelling headphones work?
What is the half-life of carbon-14?
Who was the first woman to win a Nobel Prize?
What is the tallest volcano in the solar system?
How are tides caused by the moon?
Explain the offside rule in football.
What is the etymology of the word "algorithm"?
"""

OTHER_TECHNOLOGY = """
How do I centre a div both vertically and horizontally with CSS flexbox?
What is the difference between a left join and an inner join in SQL?
Explain Rust lifetimes as if I had only ever written Java.
When should I use useMemo instead of useCallback in React?
How do I create a pivot table in pandas with two aggregations?
What is a monad in Haskell, in plain words?
Write a Dockerfile for a small Flask hello world application.
How does Raft elect a leader after a network partition?
Show me a binary search in Kotlin.
What is the time complexity of heapsort in the worst case?
How do I declare a Kubernetes ingress with two hosts?
Explain optimistic locking in Hibernate.
How do I make a SwiftUI list with swipe-to-delete rows?
What does the volatile keyword guarantee in Java?
How can I debounce keystrokes in an Angular search box?
Write a regular expression for a Brazilian postal code.
What is the difference between TCP and UDP for a multiplayer game?
How do I tune the learning rate of a gradient boosting model in scikit-learn?
Explain how garbage collection works in the Erlang virtual machine.
How do I vertically align text in a LaTeX tabular cell?
What are goroutines compared with threads of the operating system?
How would I model a many-to-many relation in Django?
Which Terraform resource creates an S3 bucket with versioning?
How do I convert a tensor from channels-first to channels-last in PyTorch?
What is the purpose of the borrow checker?
How can I animate an SVG path with GSAP?
Write a Fibonacci function in Scheme with tail recursion.
How do I read a Parquet file in Spark with Scala?
Explain eventual consistency with the example of a shopping cart.
How do I set up a breakpoint in Xcode that only logs?
What is the difference between Vuex and Pinia?
How do I write a stored procedure in Oracle PL/SQL that returns a cursor?
What does a Bloom filter do, and when does it lie?
How can I profile memory allocations in a Unity game?
Explain the actor model in Akka.
What are phantom types in Scala good for?
How do I use VLOOKUP across two worksheets in Excel?
How does quicksort choose its pivot in practice?
Create a GraphQL mutation that adds a review to a product.
How do I flash an ESP32 with the Arduino IDE?
"""

KINDS = {
    "small talk": SMALL_TALK,
    "going on": GOING_ON,
    "general knowledge": GENERAL_KNOWLEDGE,
    "other technology": OTHER_TECHNOLOGY,
}


def prompts() -> list[tuple[str, str]]:
    """Return each prompt with its kind."""
    return [(kind, line) for kind, text in KINDS.items() for line in text.strip().splitlines()]
