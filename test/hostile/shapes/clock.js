'use strict'

const assert = require('node:assert/strict')
const { setTimeout } = require('node:timers/promises')
const { basic } = require('../support/subject')

const YEAR = 365 * 24 * 3600 * 1000

/** Milliseconds for which a name is locked. */
const LOCKED = 1000

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'clock',
  what: 'a clock that is set forth and back by years ends no sessions early, locks nobody out for long, and stops nothing',
  server: { config: { query_server_config: { os_process_timeout: 5000 }, replicator: { interval: 1000, startup_jitter: 0 }, chttpd_auth_lockout: { max_lifetime: LOCKED } } },
  sizes: { short: { jumps: [YEAR, -YEAR, 0] }, long: { jumps: [3_600_000, -3_600_000, YEAR, -YEAR, 10 * YEAR, -10 * YEAR, 1, -1, 0] } },
  bounds: { stall: 600, peak: 200, left: 100 },

  async prepare (subject) {
    await subject.done('PUT', '/t')
    await subject.done('PUT', '/t/_design/d', { views: { v: { map: 'function (doc) { if (doc.n !== undefined) emit(doc.n) }' } }, shows: { f: 'function () { return "shown" }' } })
    await subject.done('PUT', '/_users/org.couchdb.user:mia', { name: 'mia', type: 'user', roles: [], password: 'apple' })
    await subject.done('PUT', '/_node/_local/_config/uuids/algorithm', '"utc_random"')
  },

  async attack (subject, { jumps }) {
    const seen = new Set()
    let before = 0
    for (const [n, jump] of jumps.entries()) {
      const session = await logIn(subject)
      for (let i = 0; i < 6; i++) await subject.ask('GET', '/_session', undefined, { authorization: basic('locked', `wrong${n}`) })
      await lock(subject)
      await subject.call('clock', jump)
      await working(subject, n, seen)
      // Backward no time has passed: who was in stays in. Forward sessions are over.
      const known = (await subject.ask('GET', '/_session', undefined, { cookie: session })).body.userCtx.name
      if (jump > before + 600_000) assert.equal(known, null, `a session outlived ${jump - before} ms`)
      await unlocked(subject, `a jump from ${before} to ${jump}`)
      before = jump
    }
  }
}

async function logIn (subject) {
  const { headers } = await subject.done('POST', '/_session', { name: 'mia', password: 'apple' })
  return headers['set-cookie'][0].split(';')[0]
}

/** Locks mia out. */
async function lock (subject) {
  for (let i = 0; i < 5; i++) await subject.ask('GET', '/_session', undefined, { authorization: basic('mia', 'wrong') })
}

/** Lets in a name that was locked out once the time is over, whatever the clock says. */
async function unlocked (subject, what) {
  const start = performance.now()
  while ((await subject.ask('GET', '/_session', undefined, { authorization: basic('mia', 'apple') })).status !== 200) {
    assert.ok(performance.now() - start < 30 * LOCKED, `locked out for long after ${what}`)
    await setTimeout(LOCKED / 10)
  }
}

/** Writes, views, feeds, replications, ids. */
async function working (subject, n, seen) {
  await subject.done('PUT', `/t/d${n}`, { n })
  assert.equal((await subject.done('GET', '/t/_design/d/_view/v')).body.total_rows, n + 1)
  assert.equal((await subject.done('GET', '/t/_design/d/_show/f')).text, 'shown')
  const since = (await subject.done('GET', '/t')).body.update_seq
  const feed = subject.ask('GET', `/t/_changes?feed=longpoll&since=${since}&timeout=20000`)
  await subject.done('PUT', `/t/e${n}`, {})
  assert.equal((await feed).body.results.length, 1)
  assert.ok((await subject.done('POST', '/_replicate', { source: 't', target: `copy${n}`, create_target: true })).body.ok)
  for (const id of (await subject.done('GET', '/_uuids?count=100')).body.uuids) {
    assert.ok(!seen.has(id))
    seen.add(id)
  }
  for (const target of ['/_node/_local/_stats', '/_node/_local/_system', '/_active_tasks', '/_scheduler/jobs', '/_node/_local/_prometheus']) await subject.done('GET', target)
}
