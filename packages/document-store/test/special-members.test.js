'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore, parseJson } = require('..')

/** Every order of a few things. @param {any[]} things @returns {any[][]} */
function orders (things) {
  if (things.length === 0) return [[]]
  return things.flatMap((first, i) => orders(things.toSpliced(i, 1)).map(rest => [first, ...rest]))
}

const BODIES = [
  [], [['a', 1]], [['a', { _id: '"_rev":"1-a"}' }], ['b', '"}']], [['c', undefined]],
  [['a', undefined], ['ä', '\ud83d\ude00"\\']], [['a', () => {}], ['b', [undefined]]]
]

describe('Special members of a document', () => {
  let store

  before(async () => { store = await DocumentStore.open(new MemoryLevel()) })
  after(() => store.close())

  /** The body that is stored of a document whose members are set in this order. @param {any} doc */
  async function stored (doc) {
    const { rev } = await store.put(doc, { newEdits: false })
    return (await store.get(doc._id, { rev })).body
  }

  it('are no part of its body, wherever they stand among the others', async () => {
    let count = 0
    for (const body of BODIES) {
      for (const deleted of [undefined, false, true]) {
        for (const members of orders([['_id', 0], ['_rev', 0], ['_deleted', deleted], ...body])) {
          const doc = Object.fromEntries(members)
          doc._id = `d"${++count}`
          doc._rev = `${count}-ä{`
          const text = JSON.stringify(doc)
          const expected = JSON.stringify(Object.fromEntries(members.filter(([name]) => !name.startsWith('_'))))
          assert.equal(await stored(doc), expected, text)
          const parsed = parseJson(Buffer.from(text), 0)
          parsed._id += 'p'
          assert.equal(await stored(parsed), expected, `${text}, parsed`)
        }
      }
    }
  })
})
