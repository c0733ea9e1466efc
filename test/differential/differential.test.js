'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { server } = require('../http/support/server')
const { runCase } = require('./support/case')
const { comparable, isFailure } = require('./support/comparable')
const { documented } = require('./support/documented')
const { Side } = require('./support/side')

const folder = path.join(__dirname, 'cases')
/** @type {import('./support/case').Case[]} */
const cases = fs.readdirSync(folder).sort().flatMap(name => require(path.join(folder, name)))

/** A CouchDB of 3.5 with one node. */
const couch = process.env.COUCHDB_URL

function urlOfOurs () {
  const url = new URL(server.origin)
  url.username = server.credentials.username
  url.password = server.credentials.password
  return url.href
}

/** The answers that differ, both of each. */
async function differencesOf (one) {
  const [theirs, ours] = await Promise.all([couch, urlOfOurs()].map(async url => comparable(await runCase(new Side(url), one))))
  assert.equal(ours.length, theirs.length)
  return theirs.flatMap((couchdb, i) => {
    if (isFailure(couchdb, ours[i])) return []
    return JSON.stringify(sorted(couchdb)) === JSON.stringify(sorted(ours[i])) ? [] : [{ couchdb, ours: ours[i] }]
  })
}

/** The same with members in one order. */
function sorted (value) {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.keys(value).sort().map(name => [name, sorted(value[name])]))
}

describe('answers beside those of a CouchDB', () => {
  it('have their differences in docs/differences.md', () => {
    const names = documented()
    const missing = cases.filter(({ what, differs }) => differs && !names.has(what))
    assert.deepEqual(missing.map(({ what }) => what), [])
    assert.equal(new Set(cases.map(({ what }) => what)).size, cases.length)
  })

  if (couch === undefined) return it('are compared where COUCHDB_URL names one')

  for (const one of cases) {
    it(`${one.differs ? 'differ as documented' : 'are the same'}: ${one.what}`, async () => {
      const differences = await differencesOf(one)
      if (one.differs) assert.notDeepEqual(differences, [], 'docs/differences.md lists what is the same')
      else assert.deepEqual(differences, [])
    }).timeout(600_000)
  }
})
