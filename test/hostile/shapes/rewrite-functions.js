'use strict'

const assert = require('node:assert/strict')
const { bombs, named } = require('../../http/support/bombs')
const { assertAnswered, beside, server } = require('../support/functions')
const { basic } = require('../support/subject')

const rewrites = {
  ...bombs,
  'leads to itself': 'function (req) { return "_rewrite/x" }',
  'leads to itself, longer each time': 'function (req) { return { path: "_rewrite/x", query: { a: (req.query.a || "x") + (req.query.a || "x") } } }',
  'has a path of 10 MB': 'function () { return "../../" + "x".repeat(10000000) }',
  'has a path of a million parts': 'function () { return "../../" + "a/".repeat(1000000) }',
  'goes up a million times': 'function () { return "../".repeat(1000000) }',
  'has a path that ends its line': 'function () { return "../../x\\r\\nHost: evil\\r\\n\\r\\nDELETE /" }',
  'has a method that is none': 'function () { return { path: "../../", method: "GET\\r\\nX-Evil: 1" } }',
  'has headers that are the connection\'s': 'function () { return { path: "../../", headers: { "Transfer-Encoding": "chunked", "Content-Length": "-1", Connection: "close", Host: "evil", Authorization: "Basic eA==", "X-Auth-CouchDB-UserName": "admin", "X-Auth-CouchDB-Roles": "_admin" } } }',
  'has headers with the names of prototypes': 'function () { return { path: "../../", headers: { __proto__: "x", constructor: "y", toString: "z" } } }',
  'has a body for what takes none': 'function () { return { path: "../../", method: "GET", body: "x".repeat(10000000) } }',
  'answers with what is no status': 'function () { return { code: 1e9, body: "x" } }',
  'answers with headers of two lines': 'function () { return { code: 200, headers: { "X-A": "b\\r\\nX-Evil: 1" }, body: "x" } }',
  'answers with 100 MB': 'function () { return { code: 200, body: "x".repeat(100 * 1024 * 1024) } }',
  'deletes the database': 'function () { return { path: "../../", method: "DELETE" } }',
  'writes into the users\' database': 'function () { return { path: "../../../_users/org.couchdb.user:evil", method: "PUT", body: JSON.stringify({ name: "evil", type: "user", roles: [], password: "x" }) } }',
  'configures the server': 'function () { return { path: "../../../_node/_local/_config/admins/evil", method: "PUT", body: JSON.stringify("evil") } }'
}

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'rewrite-functions',
  what: 'rewrite functions that do their worst let nobody do more than they may, and hinder nobody else\'s',
  server,
  sizes: { short: { rounds: 1 }, long: { rounds: 5 } },
  bounds: { stall: 250, peak: 700, left: 200 },

  async prepare (subject) {
    await subject.done('PUT', '/_users/org.couchdb.user:mia', { name: 'mia', type: 'user', roles: [], password: 'apple' })
    const all = Object.values(named(rewrites))
    await subject.done('PUT', '/bad')
    await subject.done('PUT', '/bad/_security', { members: { names: ['mia'] } })
    for (const [i, source] of all.entries()) await subject.done('PUT', `/bad/_design/f${i}`, { rewrites: source })
    await subject.done('PUT', '/good')
    await subject.done('PUT', '/good/a', {})
    await subject.done('PUT', '/good/_design/d', { rewrites: 'function (req) { return "../../" + req.path[4] }' })
  },

  async attack (subject, { rounds }) {
    const mia = { authorization: basic('mia', 'apple') }
    const attacks = Object.keys(rewrites).flatMap((what, i) => ['GET', 'POST'].map(method => async () => {
      for (let round = 0; round < rounds; round++) {
        const answer = await subject.ask(method, `/bad/_design/f${i}/_rewrite/x`, method === 'POST' ? '{}' : undefined, mia)
        assertAnswered(answer, `${method}: ${what}`)
        assert.equal(answer.headers['x-evil'], undefined, what)
      }
    }))
    // An administrator who follows a link does nothing outside of the database.
    const last = Object.keys(rewrites).length
    for (const i of [last - 2, last - 1]) attacks.push(async () => assert.equal((await subject.ask('GET', `/bad/_design/f${i}/_rewrite/x`)).status, 500))
    const own = await beside(attacks, async () => assert.equal((await subject.ask('GET', '/good/_design/d/_rewrite/a')).body._id, 'a'))
    assert.equal((await subject.ask('GET', '/bad')).status, 200)
    assert.equal((await subject.ask('GET', '/_users/org.couchdb.user:evil')).status, 404)
    assert.equal((await subject.ask('GET', '/_node/_local/_config/admins/evil')).status, 404)
    return own
  }
}
