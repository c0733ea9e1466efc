'use strict'

const assert = require('node:assert/strict')
const { bombs, named } = require('../../http/support/bombs')
const { assertAnswered, beside, server } = require('../support/functions')
const { basic } = require('../support/subject')

const updates = {
  ...bombs,
  'a text of 100 MB': 'function () { return [{ _id: "big", text: "x".repeat(100 * 1024 * 1024) }, ""] }',
  'a document that is above the limit': 'function () { return [{ _id: "big", text: "x".repeat(9 * 1024 * 1024) }, ""] }',
  'a document that is nested deeply': 'function () { var a = []; for (var i = 0; i < 100000; i++) a = [a]; return [{ _id: "deep", a: a }, ""] }',
  'a million members': 'function () { var d = { _id: "wide" }; for (var i = 0; i < 1000000; i++) d["m" + i] = i; return [d, ""] }',
  'a document that holds itself': 'function () { var d = { _id: "round" }; d.d = d; return [d, ""] }',
  'a document that speaks for itself': 'function () { return [{ _id: "own", toJSON: function () { return { _id: "other", toJSON: 1 } } }, ""] }',
  'a document with getters': 'function () { var n = 0; return [{ get _id () { return "id" + n++ } }, ""] }',
  'ids that are none': 'function () { return [{ _id: "\\u0000" }, ""] }',
  'an id without end': 'function () { return [{ _id: "x".repeat(1000000) }, ""] }',
  'an id of half a character': 'function () { return [{ _id: "\\ud800" }, ""] }',
  'an id with a line of its own': 'function () { return [{ _id: "a\\r\\nX-Evil: 1" }, ""] }',
  'a local document': 'function () { return [{ _id: "_local/x" }, ""] }',
  'a history that is forged': 'function () { return [{ _id: "forged", _rev: "99999999999999999999-a", _revisions: { start: 1e9, ids: ["a"] } }, ""] }',
  'attachments that are none': 'function () { return [{ _id: "att", _attachments: { a: { stub: true }, b: { follows: true, length: 1e15 }, c: { data: "&" } } }, ""] }',
  'a member that there is not': 'function () { return [{ _id: "member", _evil: 1, __proto__: { a: 1 } }, ""] }',
  'a response that is no response': 'function () { return [null, { code: 99 }] }',
  'a response that ends its line': 'function () { return [null, { headers: { "X-A": "b\\r\\nX-Evil: 1" }, body: "" }] }',
  'too many answers': 'function () { var a = []; for (var i = 0; i < 1000000; i++) a.push("x"); return a }'
}

const GOOD = 'function (doc, req) { return [{ _id: req.uuid, n: 1 }, "fine"] }'

const EVIL = 'function (doc, req) { return [{ _id: "_design/evil", filters: { f: "function () { return true }" } }, ""] }'

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'update-functions',
  what: 'update functions that do their worst write nothing that their user may not, and hinder nobody else\'s',
  server,
  sizes: { short: { rounds: 1 }, long: { rounds: 10 } },
  bounds: { stall: 400, peak: 700, left: 200 },

  async prepare (subject) {
    for (const [name, functions] of Object.entries({ bad: named({ ...updates, evil: EVIL }), good: { f: GOOD } })) {
      await subject.done('PUT', `/${name}`)
      await subject.done('PUT', `/${name}/_security`, { admins: { roles: ['_admin'] }, members: { names: ['mia'] } })
      await subject.done('PUT', `/${name}/_design/d`, { updates: functions })
    }
    await subject.done('PUT', '/bad/_design/v', { validate_doc_update: 'function (doc) { if (doc._id === "forged") throw { forbidden: "no" } }' })
    await subject.done('PUT', '/_users/org.couchdb.user:mia', { name: 'mia', type: 'user', roles: [], password: 'apple' })
  },

  async attack (subject, { rounds }) {
    const mia = { authorization: basic('mia', 'apple') }
    const attacks = Object.keys(updates).map((what, i) => async () => {
      for (let round = 0; round < rounds; round++) {
        const answer = await subject.ask('POST', `/bad/_design/d/_update/f${i}/x`, 'x=1', mia)
        assertAnswered(answer, what)
        assert.equal(answer.headers['x-evil'], undefined, what)
      }
    })
    attacks.push(async () => assert.equal((await subject.ask('POST', `/bad/_design/d/_update/f${Object.keys(updates).length}`, '', mia)).status, 403))
    const own = await beside(attacks, async () => {
      const { status, text } = await subject.ask('POST', '/good/_design/d/_update/f', '', mia)
      assert.deepEqual([status, text], [201, 'fine'])
    })
    assert.equal((await subject.ask('GET', '/bad/_design/evil')).status, 404)
    for (const id of ['forged', 'big', 'deep', 'round', 'att', 'member']) assert.equal((await subject.ask('GET', `/bad/${id}`)).status, 404, id)
    return own
  }
}
