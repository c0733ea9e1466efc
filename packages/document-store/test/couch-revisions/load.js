'use strict'

const { randomNumbers } = require('./random-numbers')

/**
 * Documents as texts of JSON, of all kinds that CouchDB tells apart, written in some rounds: new ones, edits of
 * edits, deletions, and some that come back. The same ones each time.
 */

const STRINGS = [
  '""', '"a"', '"plain text of some words"', '"\\u00e9\\u4e2d\\ud83d\\ude00"', '"é中😀"', '"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\u0000\\u001f\\u007f\\u2028"',
  '"/"', '"{\\"a\\":[1,2]}"', '"  "', `"${'long '.repeat(60)}"`, '"_id"', '"1.0"'
]

const INTEGERS = [
  '0', '-0', '1', '-1', '255', '256', '-255', '65535', '134217727', '134217728', '2147483647', '2147483648', '-2147483648', '-2147483649', '4294967296',
  '999999999999999', '1000000000000000', '9007199254740991', '9007199254740993', '-9007199254740993', '1152921504606846976', '9223372036854775807',
  '9223372036854775808', '-9223372036854775808', '-9223372036854775809', '18446744073709551615', '18446744073709551616', '123456789012345678901234567890',
  `-${'9'.repeat(300)}`
]

const FLOATS = [
  '0.0', '-0.0', '1.0', '1.50', '-1.5', '0.1', '3.141592653589793', '100.0', '1e2', '1E2', '1e+2', '1.0e2', '-1e2', '1e-2', '123e-7', '0e0', '1e22', '1e23',
  '1e300', '-1e300', '1.7976931348623157e308', '2.2250738585072014e-308', '9007199254740993.0', '0.30000000000000004', '12345678901234567890.5',
  '1e-400', '1.2345678901234567890123456789'
]

const NAMES = [
  '"a"', '"b"', '"c"', '"type"', '"10"', '"9"', '"4"', '"0"', '"-1"', '"1.5"', '""', '"é"', '"\\u00e9"', '"\\u0061"', '"a\\nb"', '"__proto__"', '"constructor"',
  '"toJSON"', '"length"', '"a b"', '"name with \\"quotes\\""'
]

class Texts {
  #random

  constructor (seed) {
    this.#random = randomNumbers(seed)
  }

  below (count) { return Math.floor(this.#random() * count) }

  of (list) { return list[this.below(list.length)] }

  #blank () { return this.below(12) === 0 ? this.of([' ', '\n', '\t', ' \r\n ']) : '' }

  #list (items) { return items.map(item => this.#blank() + item + this.#blank()).join(',') }

  #items (depth) { return Array.from({ length: this.below(5) }, () => this.value(depth)) }

  #array (depth) {
    const kind = this.below(4)
    if (kind === 0) return `[${this.#list(Array.from({ length: this.below(20) }, () => String(this.below(256))))}]`
    if (kind === 1) return `[${this.#list([...Array.from({ length: this.below(6) }, () => String(this.below(256))), this.of(['256', '-1', '1.0', 'null', '[1]'])])}]`
    return `[${this.#blank()}${this.#list(this.#items(depth))}]`
  }

  value (depth) {
    const kind = this.below(depth > 4 ? 5 : 8)
    if (kind === 0) return this.of(['true', 'false', 'null'])
    if (kind === 1) return this.of(INTEGERS)
    if (kind === 2) return this.of(FLOATS)
    if (kind === 3) return this.of(STRINGS)
    if (kind === 4) return String(this.below(1e6) * (this.below(3) - 1))
    return kind === 5 ? this.#array(depth + 1) : `{${this.#blank()}${this.#list(this.members(depth + 1))}}`
  }

  /** Names may come twice. */
  members (depth) {
    return Array.from({ length: this.below(7) }, () => `${this.of(NAMES)}${this.#blank()}:${this.#blank()}${this.value(depth)}`)
  }

  /** @param {string[]} special members, which stand anywhere */
  document (special) {
    const members = this.members(0).filter(each => !each.startsWith('"_'))
    for (const each of special) members.splice(this.below(3) === 0 ? this.below(members.length + 1) : 0, 0, each)
    return `{${this.#list(members)}}`
  }

  bulk (docs) {
    const before = this.of(['', '', '"new_edits":true,', ' "docs" : [1, {"a":"]}"}] , '])
    return `{${before}${this.#blank()}"docs":${this.#blank()}[${this.#list(docs)}]${this.#blank()}}`
  }
}

const ID = i => `"_id":"d${i}"`

/**
 * @param {(text: string) => Promise<string[]>} write `_bulk_docs`, from its body to the revisions
 * @param {number} [count] of documents
 * @returns {Promise<string[]>} all revisions
 */
async function runLoad (write, count = 1200) {
  const texts = new Texts(7)
  const all = []
  let revs = Array(count).fill('')
  const round = async (ids, documentOf) => {
    const found = await write(texts.bulk(ids.map(documentOf)))
    all.push(...found)
    revs = revs.map((rev, i) => ids.includes(i) ? found[ids.indexOf(i)] : rev)
  }
  const ids = [...revs.keys()]
  const withRev = i => [ID(i), `"_rev":"${revs[i]}"`]
  await round(ids, i => texts.document([ID(i)]))
  await round(ids.filter(i => i % 2 === 0), i => texts.document(withRev(i)))
  await round(ids.filter(i => i % 4 === 0), i => texts.document([...withRev(i), '"_deleted":true']))
  await round(ids.filter(i => i % 8 === 1), i => `{${[...withRev(i), '"_deleted" : true']}}`)
  await round(ids.filter(i => i % 8 < 2), i => texts.document([ID(i)]))
  await round(ids.filter(i => i % 4 === 3), i => texts.document([...withRev(i), `"_attachments":${attachments(texts)}`]))
  return all
}

/** Attachments of types that are not compressed. */
function attachments (texts) {
  const names = ['a', 'b.png', 'é', 'z'].filter(() => texts.below(3) > 0)
  const types = ['image/png', 'application/octet-stream', 'x/y']
  const members = names.map(name => `"${name}": {"content_type": "${texts.of(types)}", "data": "${Buffer.from(String(texts.below(1e9))).toString('base64')}"}`)
  return `{${members}}`
}

module.exports = { runLoad }
