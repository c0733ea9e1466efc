'use strict'

const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const { createHash, randomUUID } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')

const potoroo = path.resolve(__dirname, '../../../server/bin/potoroo.js')
const run = promisify(execFile)

/**
 * Clients of a server, which tell each change; see outcomes.js. Subjects: `DATABASE/ID`, whose state is `{ n, hash }` of its attachment;
 * `database NAME`, true; `backup PATH` and `restored PATH`, 'whole'.
 *
 * @typedef {{ url: string, tell: (event: object) => void, random: () => number, folder: string }} Load
 */

/** Tells a change, makes it, and tells that it was acknowledged. */
async function change ({ tell }, writes, make, loose) {
  const id = randomUUID()
  tell({ change: id, writes, ...(loose && { loose }) })
  await make()
  tell({ change: id })
}

async function ask ({ url }, method, path, body) {
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json' },
    body: body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  })
  const answer = await response.json()
  assert.ok(response.ok, `${method} ${path}: ${JSON.stringify(answer)}`)
  return answer
}

/** Writes, removes, and attaches to, documents of its own. */
function documents (load, word) {
  const known = new Map()
  let n = 0
  return async () => {
    const id = `${word}-${Math.floor(load.random() * 30)}`
    const before = known.get(id)
    const chance = load.random()
    if (before !== undefined && chance < 0.15) {
      await change(load, [[`load/${id}`, null]], () => ask(load, 'DELETE', `/load/${id}?rev=${before.rev}`))
      known.delete(id)
    } else if (before !== undefined && chance < 0.3) {
      const bytes = Buffer.alloc(sizeOf(load.random), `${id} ${n++}`)
      const state = { n: before.n, hash: hashOf(bytes) }
      await change(load, [[`load/${id}`, state]], async () => { before.rev = (await ask(load, 'PUT', `/load/${id}/a?rev=${before.rev}`, bytes)).rev })
    } else {
      const doc = { n: n++, text: 'x'.repeat(load.random() * 3000), ...(before && { _rev: before.rev }) }
      await change(load, [[`load/${id}`, { n: doc.n, hash: null }]], async () => known.set(id, { n: doc.n, rev: (await ask(load, 'PUT', `/load/${id}`, doc)).rev }))
    }
  }
}

/** Few are so long that the pool has to grow for them. */
function sizeOf (random) {
  const chance = random()
  return Math.floor(chance < 0.7 ? random() * 20000 : chance < 0.97 ? random() * 400000 : 4_000_000)
}

/** Twenty documents at a time. */
function batches (load) {
  let turn = 0
  return async () => {
    const docs = Array.from({ length: 20 }, (_, i) => ({ _id: `batch-${turn}-${i}`, n: i }))
    turn++
    await change(load, docs.map(({ _id, n }) => [`load/${_id}`, { n, hash: null }]), () => ask(load, 'POST', '/load/_bulk_docs', { docs }))
  }
}

/** Makes databases, writes to them, and drops some. */
function databases (load) {
  let turn = 0
  return async () => {
    const name = `d${turn++}`
    await change(load, [[`database ${name}`, true]], () => ask(load, 'PUT', `/${name}`))
    const subjects = [0, 1, 2].map(i => [`${name}/x${i}`, { n: i, hash: null }])
    for (const [subject, state] of subjects) await change(load, [[subject, state]], () => ask(load, 'PUT', `/${subject}`, { n: state.n }))
    if (load.random() < 0.7) await change(load, [[`database ${name}`, null], ...subjects.map(([subject]) => [subject, null])], () => ask(load, 'DELETE', `/${name}`))
  }
}

/** Compacts, and runs the commands one after another. */
function tending (load) {
  const command = (...words) => run(process.execPath, [potoroo, ...words])
  let turn = 0
  return async () => {
    await ask(load, 'POST', '/load/_compact', {})
    const name = kind => path.join(load.folder, `${kind}-${turn}`)
    await change(load, [[`backup ${path.basename(name('backup'))}`, 'whole']], () => command('backup', name('backup'), '--server', load.url))
    await change(load, [[`restored ${path.basename(name('restored'))}`, 'whole']], () => command('restore', name('backup'), '--data', name('restored'), '--storage', 'pmem'))
    await command('export', 'fixed', '--to', name('export'), '--server', load.url)
    const { rows } = await ask(load, 'GET', '/fixed/_all_docs?include_docs=true')
    const into = `imported-${turn}`
    const writes = [[`database ${into}`, true], ...rows.map(({ id, doc }) => [`${into}/${id}`, { n: doc.n, hash: null }])]
    const file = path.join(name('export'), fs.readdirSync(name('export'))[0])
    await change(load, writes, () => command('import', file, into, '--server', load.url), true)
    turn++
  }
}

/** Returns what never changes: a restored folder has it in any case. */
async function fixed (load) {
  await change(load, [['database fixed', true]], () => ask(load, 'PUT', '/fixed'))
  await change(load, [['database load', true]], () => ask(load, 'PUT', '/load'))
  const docs = Array.from({ length: 50 }, (_, i) => ({ _id: `f${i}`, n: i }))
  await change(load, docs.map(({ _id, n }) => [`fixed/${_id}`, { n, hash: null }]), () => ask(load, 'POST', '/fixed/_bulk_docs', { docs }))
}

function clientsOf (load) {
  return [documents(load, 'a'), documents(load, 'b'), documents(load, 'c'), batches(load), databases(load), tending(load)]
}

function hashOf (bytes) {
  return createHash('md5').update(bytes).digest('base64')
}

module.exports = { clientsOf, fixed, hashOf, ask }
