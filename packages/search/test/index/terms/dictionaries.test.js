'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { Dictionaries } = require('../../../lib/index/terms/dictionaries')
const { TermTable } = require('../../../lib/index/terms/table')
const { TestIndex } = require('../../support/index')

/** A message to another thread. @template T @param {T} part @returns {T} */
const sent = part => structuredClone(part)

describe('terms that threads send', () => {
  it('have their names, each of which is sent once', () => {
    fc.assert(fc.property(fc.array(fc.array(fc.tuple(fc.boolean(), fc.constantFrom('', 'a', 'b', 'caf\u00e9', 'x\0y', '\ufffd')), { maxLength: 6 }), { maxLength: 6 }), parts => {
      const tables = [new TermTable(), new TermTable()]
      const dictionaries = new Dictionaries()
      const names = []
      for (const part of parts) {
        for (const [which, table] of tables.entries()) {
          const tokens = part.filter(([isFirst]) => isFirst === (which === 0)).map(([, term]) => term)
          tokens.forEach((term, position) => table.add(term, position))
          const { terms } = table
          table.send()
          const received = /** @type {any} */ (sent(terms))
          if (received.more !== null) names.push(...received.more.split('\x7f').map(name => `${which} ${name}`))
          dictionaries.complete(received)
          assert.deepStrictEqual([...received.tokens].map(token => received.names[token]), tokens.map(term => term.replace('\0', '\ufffd')))
        }
      }
      assert.strictEqual(new Set(names).size, names.length)
    }))
  })

  it('are missing where a part did not come', () => {
    const table = new TermTable()
    table.add('a', 0)
    table.send()
    table.add('b', 0)
    const { terms } = table
    table.send()
    assert.throws(() => new Dictionaries().complete(/** @type {any} */ (sent(terms))), /missing/)
  })

  it('are known by their numbers in batches that come later, as long as some document has them', async () => {
    const index = await TestIndex.open()
    const table = new TermTable()
    const dictionaries = new Dictionaries()
    const build = (/** @type {string[]} */ words) => {
      words.forEach((word, position) => table.add(word, position))
      const { terms } = table
      table.send()
      const received = /** @type {any} */ (sent(terms))
      dictionaries.complete(received)
      return { terms: received, fields: [['body', words.length, words.length, 0, words.length]], whole: [], numbers: [], stored: {}, values: {}, units: 0 }
    }
    const idsOf = async (/** @type {string} */ term) => (await index.find({ type: 'term', field: 'body', term })).map(([id]) => id)
    await index.writeBuilt([{ id: 'one', built: /** @type {any} */ (build(['a', 'b'])) }])
    await index.writeBuilt([{ id: 'two', built: /** @type {any} */ (build(['b', 'c', ''])) }, { id: 'three', built: /** @type {any} */ (build([''])) }])
    await index.writeBuilt([{ id: 'one', built: null }])
    await index.writeBuilt([{ id: 'four', built: /** @type {any} */ (build(['a', 'c'])) }])
    assert.deepStrictEqual([await idsOf('a'), await idsOf('b'), await idsOf('c'), await idsOf('')], [['four'], ['two'], ['two', 'four'], ['three', 'two']])
    await index.close()
  })
})
