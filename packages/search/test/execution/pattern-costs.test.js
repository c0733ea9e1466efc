'use strict'

const assert = require('node:assert')
const { parseQuery, termMatcher } = require('../..')
const { TestIndex } = require('../support/index')

describe('costs of patterns', () => {
  const COUNT = 200
  /** @type {TestIndex} */
  let index

  before(async () => {
    index = await TestIndex.open()
    const text = Array.from({ length: COUNT }, (_, i) => Array.from({ length: 200 }, (_, k) => 'ab'[(((i + 3) * (k + 7) * 2654435761) >>> 13) % 2]).join('')).join(' ')
    await index.write({ doc: { text } })
  })

  after(() => index.close())

  it('are those of each term, and others have their turn between two', async () => {
    const node = parseQuery('/(a|b)*a(a|b){60}/', { defaultField: 'text', analyze: () => [] })
    let turns = 0
    let goesOn = true
    const count = () => {
      turns++
      if (goesOn) setImmediate(count)
    }
    count()
    const spent = process.cpuUsage()
    const found = await index.find(node, { matcherOf: termMatcher }).catch(error => error)
    goesOn = false
    const milliseconds = process.cpuUsage(spent).user / 1000
    assert.ok(Array.isArray(found) || /too costly/.test(found.message), found)
    assert.ok(turns >= milliseconds / 50, `${turns} turns in ${milliseconds} ms`)
  })

  it('end a query in 400 where a term would take too many steps', async () => {
    const node = parseQuery(`/${'a?'.repeat(250)}${'a'.repeat(250)}/`, { defaultField: 'text', analyze: () => [] })
    const spent = process.cpuUsage()
    await assert.rejects(index.find(node, { matcherOf: termMatcher }), { status: 400 })
    assert.ok(process.cpuUsage(spent).user < 1e6)
  })
})
