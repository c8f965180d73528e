"""A small Node package, the shop's window: 15 tests of `node --test`, of which 4 fail for two real causes.

A sort compares numbers as text, and a promise is not waited for.
"""

PACKAGE = '{\n  "name": "window",\n  "version": "1.0.0",\n  "private": true,\n  "scripts": { "test": "node --test" }\n}\n'

SORTING = """\
'use strict';

/** Return goods from the cheapest to the dearest. */
function byPrice(goods) {
  return goods.map((one) => one.cents).sort().map((cents) => goods.find((one) => one.cents === cents));
}

/** Return the dearest of them, or null. */
function dearest(goods) {
  return byPrice(goods).pop() ?? null;
}

module.exports = { byPrice, dearest };
"""

CACHE = """\
'use strict';

/** Keep what `load` returns for each key, and load it once. */
class Cache {
  constructor(load) {
    this.load = load;
    this.kept = new Map();
  }

  async get(key) {
    if (!this.kept.has(key)) {
      const loaded = this.load(key);
      if (loaded == null) throw new Error(`nothing for ${key}`);
      this.kept.set(key, loaded.cents);
    }
    return this.kept.get(key);
  }
}

module.exports = { Cache };
"""

FORMAT = """\
'use strict';

/** Return cents as people write them. */
function price(cents) {
  return `${cents < 0 ? '-' : ''}${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')}`;
}

/** Return a text that may stand in HTML. */
function escaped(text) {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}

module.exports = { price, escaped };
"""

SORTING_TEST = """\
'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { byPrice, dearest } = require('../src/sorting.js');

const lamp = { name: 'lamp', cents: 995 };
const chair = { name: 'chair', cents: 10500 };
const table = { name: 'table', cents: 20 };

test('nothing is sorted as nothing', () => assert.deepStrictEqual(byPrice([]), []));
test('one is sorted as one', () => assert.deepStrictEqual(byPrice([lamp]), [lamp]));
test('goods are sorted by price', () => assert.deepStrictEqual(byPrice([lamp, chair, table]), [table, lamp, chair]));
test('nothing has no dearest', () => assert.strictEqual(dearest([]), null));
test('the dearest is found', () => assert.strictEqual(dearest([lamp, chair, table]), chair));
"""

CACHE_TEST = """\
'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { Cache } = require('../src/cache.js');

test('what is loaded is returned', async () => {
  const cache = new Cache(async () => ({ cents: 995 }));
  assert.strictEqual(await cache.get('lamp'), 995);
});
test('what was loaded is not loaded again', async () => {
  let times = 0;
  const cache = new Cache(async () => ({ cents: (times += 1) }));
  await cache.get('lamp');
  assert.deepStrictEqual([await cache.get('lamp'), times], [1, 1]);
});
test('what is there at once will do', async () => {
  assert.strictEqual(await new Cache(() => ({ cents: 1 })).get('lamp'), 1);
});
test('a failure is told', async () => {
  await assert.rejects(new Cache(() => null).get('lamp'), /nothing for lamp/);
});
"""

FORMAT_TEST = """\
'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { price, escaped } = require('../src/format.js');

for (const [cents, text] of [[0, '0.00'], [5, '0.05'], [1999, '19.99'], [-5, '-0.05']]) {
  test(`${cents} cents are ${text}`, () => assert.strictEqual(price(cents), text));
}
test('markup is escaped', () => assert.strictEqual(escaped('<b>'), '&#60;b&#62;'));
test('text is left alone', () => assert.strictEqual(escaped('lamp'), 'lamp'));
"""

FILES = {
    "package.json": PACKAGE,
    "src/sorting.js": SORTING,
    "src/cache.js": CACHE,
    "src/format.js": FORMAT,
    "test/sorting.test.js": SORTING_TEST,
    "test/cache.test.js": CACHE_TEST,
    "test/format.test.js": FORMAT_TEST,
}

# What mends each cause: file, what stands there, what has to.
BY_TEXT = (("src/sorting.js", ".sort()", ".sort((one, other) => one - other)"),)
NOT_WAITED_FOR = (("src/cache.js", "this.load(key)", "await this.load(key)"),)
FIXES = (BY_TEXT, (), NOT_WAITED_FOR)
