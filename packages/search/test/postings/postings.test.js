'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { decodeForward, encodeForward } = require('../../lib/index/forward')
const { BitWriter, GolombReader, RiceReader, bitsAt, riceOf } = require('../../lib/postings/bits')
const { BLOCK, packBlock } = require('../../lib/postings/block')
const { BlockReader } = require('../../lib/postings/block-reader')
const { Columns, NONE } = require('../../lib/postings/columns')
const { GroupReader, groupsOf, packGroup } = require('../../lib/postings/group')
const { NumberReader, NumberWriter } = require('../../lib/postings/numbers')
const { LENGTHS, encodeLength } = require('../../lib/postings/norm')
const { TERMS, decodeTerm, decodeTerms, encodeTerm, encodeTerms } = require('../../lib/postings/records')

const places = fc.oneof({ weight: 5, arbitrary: fc.nat(400) }, fc.nat(2 ** 23)).chain(max => fc.uniqueArray(fc.nat(max), { minLength: 1, maxLength: 20 }))
const distance = fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 5 }) }, fc.integer({ min: 1, max: 2 ** 30 - 1 }))
const arbitrary = fc.array(fc.record({ distance, norm: fc.integer({ min: 0, max: 127 }), places }), { minLength: 1, maxLength: BLOCK })
  .map(all => {
    let doc = 0
    return all.map(({ distance, norm, places }) => {
      doc += distance
      return { doc, norm, positions: places.sort((a, b) => a - b) }
    })
  })

/** @param {Array<{ doc: number, norm: number, positions: number[] }>} postings */
function columnsOf (postings) {
  const columns = new Columns()
  for (const { doc, norm, positions } of postings) {
    columns.add(doc, norm)
    for (const position of positions) columns.addPosition(position)
  }
  return columns
}

/** @param {Columns} columns */
function listOf (columns) {
  return Array.from({ length: columns.count }, (_, i) => ({
    doc: columns.docs[i], norm: columns.norms[i], positions: [...columns.positions.subarray(columns.starts[i], columns.starts[i + 1])]
  }))
}

/** @param {(reader: BlockReader) => void} open */
function read (open) {
  const columns = new Columns()
  const reader = new BlockReader()
  open(reader)
  reader.addTo(columns)
  return listOf(columns)
}

/** @param {BlockReader} reader @param {Columns} columns */
function openBlock (reader, columns) {
  const { text, positions } = packBlock(columns, 0, columns.count)
  reader.openBlock(text)
  reader.openPositions(positions)
}

/** @param {string} text */
function assertAscii (text) { assert.ok([...text].every(each => each < '\x80')) }

describe('postings', () => {
  it('keep numbers of any size as ASCII', () => {
    fc.assert(fc.property(fc.array(fc.maxSafeNat()), numbers => {
      const writer = new NumberWriter()
      for (const number of numbers) writer.put(number)
      const text = writer.take()
      assertAscii(text)
      const reader = new NumberReader(text)
      assert.deepStrictEqual(numbers.map(() => reader.next()), numbers)
      assert.strictEqual(reader.at, text.length)
    }))
  })

  it('keep bits, and numbers as codes of bits', () => {
    const number = fc.oneof(fc.nat(20), fc.nat(2 ** 30))
    fc.assert(fc.property(fc.array(number, { maxLength: 50 }), fc.nat(24), fc.nat(24), (numbers, k, width) => {
      const writer = new BitWriter()
      const first = 0x555555 & ((1 << width) - 1)
      writer.put(first, width)
      const sum = numbers.reduce((sum, each) => sum + each, 0)
      const rice = Math.max(riceOf(sum, numbers.length), k)
      for (const each of numbers) writer.putRice(each, rice)
      const end = writer.length
      for (const each of numbers) writer.putGolomb(each, k)
      const text = writer.take()
      assertAscii(text)
      assert.strictEqual(bitsAt(text, 0, width), first)
      const reader = new RiceReader()
      reader.open(text, width)
      const sums = new Float64Array(numbers.length)
      reader.sums(rice, sums, 0, numbers.length, 0, 0)
      assert.deepStrictEqual([...sums].map((each, i) => each - (sums[i - 1] ?? 0)), numbers)
      const golomb = new GolombReader(text, end)
      assert.deepStrictEqual(numbers.map(() => golomb.next(k)), numbers)
    }))
  })

  it('are read as they were added, from blocks and terms too', () => {
    fc.assert(fc.property(arbitrary, postings => {
      const columns = columnsOf(postings)
      const { text, positions } = packBlock(columns, 0, columns.count)
      assertAscii(text)
      assertAscii(positions)
      assert.deepStrictEqual(read(reader => openBlock(reader, columns)), postings)
      const tail = columns.tail(NONE, 0)
      assert.deepStrictEqual(read(reader => reader.openTail(tail)), postings)
      const term = { number: 35, df: 500, blocks: 3, tail }
      const terms = new Array(TERMS).fill(undefined)
      terms[3] = terms[15] = encodeTerm(term)
      assert.deepStrictEqual(decodeTerms(encodeTerms(terms)), terms)
      assert.deepStrictEqual(decodeTerm(35, terms[3]), term)
    }))
  })

  it('are read one by one, and not all of them', () => {
    fc.assert(fc.property(arbitrary, fc.func(fc.boolean()), (postings, isWanted) => {
      const columns = columnsOf(postings)
      const room = new Int32Array(20)
      for (const open of [reader => openBlock(reader, columns), reader => reader.openTail(columns.tail(NONE, 0))]) {
        const reader = new BlockReader()
        open(reader)
        postings.forEach(({ doc, norm, positions }, i) => {
          if (!isWanted(doc)) return
          assert.deepStrictEqual([reader.docs[i], reader.norm(i), reader.freq(i)], [doc, norm, positions.length])
          reader.positions(i, room)
          assert.deepStrictEqual([...room.subarray(0, positions.length)], positions)
        })
      }
    }))
  })

  it('share records, which tell of each block what none of its postings exceeds', () => {
    fc.assert(fc.property(arbitrary, fc.integer({ min: 1, max: BLOCK }), fc.integer({ min: 1, max: 200 }), (postings, size, length) => {
      const columns = columnsOf(postings)
      const blocks = Array.from({ length: Math.ceil(columns.count / size) }, (_, i) => packBlock(columns, i * size, Math.min(columns.count, (i + 1) * size)))
      const scorer = { score: (/** @type {number} */ freq, /** @type {number} */ norm) => freq / (freq + norm / length) }
      const group = new GroupReader()
      const reader = new BlockReader()
      const found = groupsOf(blocks).flatMap(some => {
        const { last, text, positions } = packGroup(some)
        assertAscii(text)
        group.open(text)
        assert.strictEqual(group.lasts[group.count - 1], last)
        return some.map((block, i) => {
          assert.deepStrictEqual(group.block(i, positions), block)
          const own = new Columns()
          reader.openBlock(text, group.starts[i])
          reader.openPositions(positions, group.places[i])
          reader.addTo(own)
          for (let k = 0; k < own.count; k++) assert.ok(scorer.score(own.freqs[k], own.norms[k]) <= group.bestScore(i, scorer))
          return listOf(own)
        })
      })
      assert.deepStrictEqual(found.flat(), postings)
    }))
  })

  for (const [kind, most] of [['close', 1], ['far from each other', 40]]) {
    it(`tell which of some documents are among them, and where, if they are ${kind}`, () => {
      fc.assert(fc.property(fc.uniqueArray(fc.nat(200), { minLength: 1, maxLength: BLOCK }), fc.uniqueArray(fc.nat(200 * most), { maxLength: BLOCK }), (numbers, others) => {
        const docs = numbers.map(number => 5 + most * number).sort((a, b) => a - b)
        const asked = Float64Array.from(others.filter(doc => doc <= docs[docs.length - 1]).sort((a, b) => a - b))
        const columns = columnsOf(docs.map(doc => ({ doc, norm: 1, positions: [1] })))
        for (const open of [reader => reader.openBlock(packBlock(columns, 0, docs.length).text), reader => reader.openTail(columns.tail(NONE, 0))]) {
          const reader = new BlockReader()
          open(reader)
          const places = Int32Array.from(asked.keys())
          const found = Array.from(places.subarray(0, reader.keep(asked, places, asked.length)), place => asked[place])
          assert.deepStrictEqual(found, Array.from(asked).filter(doc => docs.includes(doc)))
          assert.deepStrictEqual(found.map(doc => reader.placeOf(doc, 0)), found.map(doc => docs.indexOf(doc)))
        }
      }))
    })
  }

  it('are added to a tail, and lose exactly those that are left out', () => {
    fc.assert(fc.property(arbitrary, fc.nat(BLOCK), fc.func(fc.boolean()), (postings, some, isOut) => {
      const first = columnsOf(postings.slice(0, some)).tail(NONE, 0)
      const tail = columnsOf(postings).tail(first, Math.min(some, postings.length))
      assert.deepStrictEqual(tail, columnsOf(postings).tail(NONE, 0))
      const columns = new Columns()
      columns.addTail(tail)
      columns.remove(new Set(postings.filter(({ doc }) => isOut(doc)).map(({ doc }) => doc)))
      assert.deepStrictEqual(listOf(columns), postings.filter(({ doc }) => !isOut(doc)))
    }))
  })

  it('take a byte or two each where the term is common', () => {
    const postings = Array.from({ length: BLOCK }, (_, i) => ({ doc: 1000 + 2 * i, norm: 40 + i % 2, positions: [i % 100] }))
    const { text, positions } = packBlock(columnsOf(postings), 0, BLOCK)
    assert.ok(text.length + positions.length < 1.5 * BLOCK)
  })

  it('keep lengths up to 40 exactly, and others to an eighth', () => {
    for (let length = 0; length < 30_000; length++) {
      const kept = LENGTHS[encodeLength(length)]
      assert.ok(length <= 40 ? kept === length : kept <= length && length - kept <= length / 8, `${length} is kept as ${kept}`)
    }
    assert.strictEqual(encodeLength(10 ** 9), 127)
  })
})

describe('a forward list', () => {
  it('is read as it was written, also where a number is far above the others', () => {
    const numbers = fc.uniqueArray(fc.oneof({ weight: 5, arbitrary: fc.nat(1000) }, fc.nat(2 ** 31 - 2)), { maxLength: 100 })
    fc.assert(fc.property(numbers, fc.array(fc.tuple(fc.string(), fc.nat())), fc.array(fc.tuple(fc.string(), fc.constant('8000000000000000'))), (numbers, fields, ranges) => {
      const forward = { fields, numbers: ranges, terms: Int32Array.from(numbers).sort() }
      const text = encodeForward(forward)
      assert.deepStrictEqual(decodeForward(text), forward)
      assert.ok(text.length < JSON.stringify([fields, ...ranges]).length + 5 + 11 * numbers.length)
    }))
  })
})
