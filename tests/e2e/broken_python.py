"""A Python package of fifteen rooms that keeps a shop's books: 40 tests, of which 9 fail for four real causes.

Paging is off by one, amounts are cut instead of rounded, the importer still reads a column that was renamed, and days
are told in the timezone and files in the encoding of whichever machine this runs on.
"""

PACKAGE = {
    "__init__": '"""The books of a shop."""\n',
    "money": '''\
"""Amounts in whole cents."""


def times(cents, factor):
    """Return an amount times a factor, rounded half away from zero."""
    return int(cents * factor)


def shown(cents):
    """Return an amount as people write it."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"
''',
    "discount": '''\
"""Discounts."""

from ledger import money


def reduced(cents, percent):
    """Return a price after a discount."""
    if not 0 <= percent <= 100:
        raise ValueError(f"no discount: {percent}")
    return cents - money.times(cents, percent / 100)
''',
    "tax": '''\
"""Taxes, on top of net amounts."""

from ledger import money

RATES = {"food": 0.07, "other": 0.19, "books": 0.07}


def gross(cents, kind):
    """Return a net amount with its tax."""
    return cents + money.times(cents, RATES[kind])
''',
    "basket": '''\
"""Baskets: what a customer is about to buy."""

from ledger import discount, tax


class Basket:
    """Goods with their kinds and numbers."""

    def __init__(self):
        self.lines = []

    def put(self, cents, kind="other", number=1):
        """Put goods in."""
        if number < 1:
            raise ValueError("nothing to put in")
        self.lines.append((cents, kind, number))

    def total(self, percent=0):
        """Return what it costs, tax and discount included."""
        return sum(tax.gross(discount.reduced(cents * number, percent), kind) for cents, kind, number in self.lines)
''',
    "paging": '''\
"""Pages of long lists."""


def pages(count, size):
    """Return how many pages a list takes."""
    return count // size


def page(items, number, size):
    """Return a page of a list, the first by 1."""
    start = (number - 1) * size
    return items[start : start + size - 1]
''',
    "customer": '''\
"""Customers."""

from collections import namedtuple

Customer = namedtuple("Customer", "number given_name family_name city")


def address(customer):
    """Return how a customer is addressed in a letter."""
    return f"{customer.given_name} {customer.family_name}, {customer.city}"
''',
    "importer": '''\
"""Customers from the export of the old till."""

import csv

from ledger.customer import Customer


def read(path):
    """Return the customers of a file; the till wrote `surname` until 2019 and `family_name` since."""
    with open(path, newline="") as file:
        return [_customer(row) for row in csv.DictReader(file)]


def _customer(row):
    return Customer(int(row["number"]), row["given_name"], row["surname"], row["city"])
''',
    "exporter": '''\
"""Customers for the newsletter."""

import csv


def write(path, customers):
    """Write customers as the newsletter wants them."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["name", "city"])
        rows.writerows([[f"{each.given_name} {each.family_name}", each.city] for each in customers])
''',
    "calendar_days": '''\
"""Days, as the books count them: in UTC."""

import datetime


def day_of(seconds):
    """Return the day of a moment, given in seconds since 1970."""
    return datetime.datetime.fromtimestamp(seconds).date()


def is_same(one, other):
    """Say whether two moments are of the same day."""
    return day_of(one) == day_of(other)
''',
    "orders": '''\
"""Orders: baskets that were bought."""

from ledger import calendar_days


class Orders:
    """What was bought, and when."""

    def __init__(self):
        self.all = []

    def add(self, seconds, cents):
        """Add an order."""
        self.all.append((seconds, cents))

    def of_day(self, day):
        """Return the amounts of a day."""
        return [cents for seconds, cents in self.all if calendar_days.day_of(seconds) == day]
''',
    "report": '''\
"""Reports: what a day brought in."""

from ledger import money


def daily(orders, day):
    """Return a line on a day."""
    amounts = orders.of_day(day)
    return f"{day.isoformat()}: {len(amounts)} orders, {money.shown(sum(amounts))}"
''',
    "stock": '''\
"""The stock."""


class Stock:
    """How many there are of each."""

    def __init__(self):
        self.numbers = {}

    def deliver(self, name, number):
        """Take in a delivery."""
        self.numbers[name] = self.numbers.get(name, 0) + number

    def take(self, name, number):
        """Take some out; raises ValueError where there are not as many."""
        if self.numbers.get(name, 0) < number:
            raise ValueError(f"not enough of {name}")
        self.numbers[name] -= number
''',
    "search": '''\
"""Search in names."""

from ledger import paging


def find(names, words, number=1, size=10):
    """Return a page of the names that hold all words, whatever their letters' case."""
    wanted = words.casefold().split()
    return paging.page([name for name in names if all(word in name.casefold() for word in wanted)], number, size)
''',
    "slugs": '''\
"""Names for addresses of pages."""

import re
import unicodedata


def slug(title):
    """Return a title as a part of an address."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
''',
}

TESTS = {
    "test_money": """\
import pytest

from ledger import money


@pytest.mark.parametrize(("cents", "text"), [(0, "0.00"), (5, "0.05"), (1999, "19.99"), (-5, "-0.05"), (-1234, "-12.34")])
def test_an_amount_is_shown_with_two_digits(cents, text):
    assert money.shown(cents) == text


@pytest.mark.parametrize(("cents", "factor", "due"), [(100, 2, 200), (100, 0.5, 50), (995, 0.15, 149), (999, 0.07, 70)])
def test_an_amount_is_multiplied_and_rounded(cents, factor, due):
    assert money.times(cents, factor) == due
""",
    "test_discount": """\
import pytest

from ledger import discount


@pytest.mark.parametrize(("cents", "percent", "due"), [(1000, 0, 1000), (1000, 25, 750), (1000, 100, 0)])
def test_a_discount_is_taken_off(cents, percent, due):
    assert discount.reduced(cents, percent) == due


@pytest.mark.parametrize("percent", [-1, 101])
def test_a_discount_that_is_none_is_refused(percent):
    with pytest.raises(ValueError, match="no discount"):
        discount.reduced(1000, percent)
""",
    "test_tax": """\
import pytest

from ledger import tax


@pytest.mark.parametrize(("cents", "kind", "due"), [(1000, "food", 1070), (1000, "other", 1190), (999, "other", 1189)])
def test_tax_is_added_by_kind(cents, kind, due):
    assert tax.gross(cents, kind) == due


def test_goods_of_no_known_kind_are_refused():
    with pytest.raises(KeyError):
        tax.gross(1000, "smoke")
""",
    "test_basket": """\
import pytest

from ledger.basket import Basket


def test_an_empty_basket_costs_nothing():
    assert Basket().total() == 0


def test_goods_are_counted_with_their_tax():
    basket = Basket()
    basket.put(1000, "food", 2)
    basket.put(500)
    assert basket.total() == 2140 + 595


def test_nothing_cannot_be_put_in():
    with pytest.raises(ValueError, match="nothing"):
        Basket().put(100, number=0)
""",
    "test_paging": """\
import pytest

from ledger import paging


@pytest.mark.parametrize(("count", "size", "pages"), [(0, 10, 0), (10, 10, 1), (11, 10, 2)])
def test_a_list_takes_as_many_pages_as_it_needs(count, size, pages):
    assert paging.pages(count, size) == pages


@pytest.mark.parametrize(("number", "items"), [(1, [0, 1, 2]), (3, [6])])
def test_a_page_has_its_items(number, items):
    assert paging.page(list(range(7)), number, 3) == items
""",
    "test_customers": """\
from ledger import customer, exporter, importer

ADA = customer.Customer(7, "Ada", "Müller", "Łódź")


def test_a_letter_is_addressed():
    assert customer.address(ADA) == "Ada Müller, Łódź"


def test_customers_of_the_new_till_are_read(tmp_path):
    (tmp_path / "new.csv").write_text("number,given_name,family_name,city\\n7,Ada,Miller,York\\n", encoding="utf-8")
    assert importer.read(tmp_path / "new.csv") == [customer.Customer(7, "Ada", "Miller", "York")]


def test_customers_of_the_old_till_are_read(tmp_path):
    (tmp_path / "old.csv").write_text("number,given_name,surname,city\\n7,Ada,Miller,York\\n", encoding="utf-8")
    assert importer.read(tmp_path / "old.csv") == [customer.Customer(7, "Ada", "Miller", "York")]


def test_names_are_read_as_they_were_written(tmp_path):
    (tmp_path / "old.csv").write_bytes("number,given_name,surname,city\\n7,Ada,Müller,Łódź\\n".encode("utf-8-sig"))
    assert importer.read(tmp_path / "old.csv") == [ADA]


def test_customers_are_written_for_the_newsletter(tmp_path):
    exporter.write(tmp_path / "out.csv", [ADA])
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[1] == "Ada Müller,Łódź"
""",
    "test_days": """\
import datetime
import time

import pytest

from ledger import calendar_days, report
from ledger.orders import Orders

LATE = 1_767_311_940  # 2026-01-01 23:59 UTC


@pytest.fixture(autouse=True)
def far_away(monkeypatch):
    monkeypatch.setenv("TZ", "XXX-9")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_day_is_that_of_the_books():
    assert calendar_days.day_of(LATE) == datetime.date(2026, 1, 1)


def test_moments_are_compared_by_day():
    assert calendar_days.is_same(LATE - 60, LATE) and not calendar_days.is_same(LATE, LATE + 120)


def test_a_day_is_reported():
    orders = Orders()
    orders.add(LATE - 3600, 1000)
    orders.add(LATE, 234)
    assert report.daily(orders, datetime.date(2026, 1, 1)) == "2026-01-01: 2 orders, 12.34"
""",
    "test_stock": """\
import pytest

from ledger.stock import Stock


def test_what_was_delivered_can_be_taken():
    stock = Stock()
    stock.deliver("lamp", 2)
    stock.take("lamp", 2)
    assert stock.numbers == {"lamp": 0}


def test_more_than_there_is_cannot_be_taken():
    with pytest.raises(ValueError, match="not enough of lamp"):
        Stock().take("lamp", 1)
""",
    "test_search": """\
import pytest

from ledger import search, slugs


def test_all_words_have_to_be_there():
    assert search.find(["Red lamp", "Red chair"], "LAMP red") == ["Red lamp"]


@pytest.mark.parametrize(("title", "slug"), [("Red Lamp!", "red-lamp"), ("Müller & Söhne", "muller-sohne"), ("...", "")])
def test_a_title_becomes_a_part_of_an_address(title, slug):
    assert slugs.slug(title) == slug
""",
}

SETTINGS = '[project]\nname = "ledger"\nversion = "1"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\npythonpath = ["."]\n'
FILES = {
    "pyproject.toml": SETTINGS,
    **{f"ledger/{name}.py": text for name, text in PACKAGE.items()},
    **{f"tests/{name}.py": text for name, text in TESTS.items()},
}

# What mends each cause: file, what stands there, what has to.
PAGING = (
    ("ledger/paging.py", "return count // size", "return -(-count // size)"),
    ("ledger/paging.py", "items[start : start + size - 1]", "items[start : start + size]"),
)
ROUNDING = (
    ("ledger/money.py", "return int(cents * factor)", 'return int((Decimal(str(factor)) * cents).quantize(1, "ROUND_HALF_UP"))'),
    ("ledger/money.py", '"""Amounts in whole cents."""\n', '"""Amounts in whole cents."""\n\nfrom decimal import Decimal\n'),
)
RENAMED = (("ledger/importer.py", 'row["surname"]', 'row.get("family_name") or row["surname"]'),)
THE_MACHINES = (
    ("ledger/calendar_days.py", "fromtimestamp(seconds)", "fromtimestamp(seconds, datetime.timezone.utc)"),
    ("ledger/importer.py", 'open(path, newline="")', 'open(path, newline="", encoding="utf-8-sig")'),
)
FIXES = (PAGING, (*ROUNDING, *RENAMED), THE_MACHINES)
