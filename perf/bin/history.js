#!/usr/bin/env node
'use strict'

// node perf/bin/history.js prints what history costs beside a database that keeps none: new documents, edits one by one and by
// hundreds, compaction, bytes of a version, and what it takes to read a moment. The two take turns. CPU time.

const { DocumentStore } = require('@potoroo/document-store')
const { MemoryLevel } = require('memory-level')
const { median } = require('../lib/report/statistics')
const { readOptions } = require('../lib/run/command-line')

// It has no options.
readOptions({})

const ROUNDS = 30
const EACH = 300

const body = number => ({ name: `Ada Lovelace ${number}`, email: `ada${number}@example.com`, age: number % 100, tags: ['math', 'poetry', 'engine'], filler: 'x'.repeat(80) })
const user = { name: 'ada', roles: [] }

/** A database, and what its work costs. */
class Subject {
  costs = /** @type {Record<string, number[]>} */ ({})
  #made = 0

  /** @param {boolean} keeps */
  async open (keeps) {
    this.level = new MemoryLevel()
    this.store = await DocumentStore.open(this.level, { deterministicRevs: 'couchdb' })
    if (keeps) await this.store.setRetention({ retain: '30d' })
  }

  /** @param {string} name @param {number} count of what is done @param {() => Promise<unknown>} work */
  async measure (name, count, work) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    ;(this.costs[name] ??= []).push((user + system) / count)
  }

  async round () {
    const { store } = this
    const docs = Array.from({ length: EACH }, () => ({ _id: `d${this.#made++}`, ...body(this.#made) }))
    /** @type {string[]} */
    let revs = []
    const next = () => docs.map((doc, i) => ({ ...doc, _rev: revs[i], age: doc.age + 1 }))
    await this.measure('put of a new document', EACH, async () => { for (const doc of docs) revs.push((await store.put(doc, { user })).rev) })
    const edits = next()
    await this.measure('put of an edit', EACH, async () => { revs = []; for (const doc of edits) revs.push((await store.put(doc, { user })).rev) })
    const many = next()
    await this.measure('edit of 300 by one write', EACH, async () => { revs = (await store.write(many, { user })).map(result => result.rev) })
  }

  async bytes () {
    let bytes = 0
    for await (const [key, value] of this.level.iterator({ keyEncoding: 'buffer', valueEncoding: 'buffer' })) bytes += key.length + value.length
    return bytes
  }
}

/** @param {Subject} subject that keeps history */
async function readMoments ({ store }, versions) {
  const seq = Math.floor(store.updateSeq / 2)
  const measured = async (count, work) => {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / count
  }
  const get = await measured(2000, async () => { for (let i = 0; i < 2000; i++) await store.get(`d${i}`, { at: seq }) })
  let rows = 0
  const list = await measured(1, async () => { for await (const page of (await store.allDocs({ at: seq, includeDocs: true })).rows) rows += page.length })
  const entries = await measured(1000, async () => { for (let i = 0; i < 1000; i++) for await (const page of store.history(`d${i}`)) versions += page.length })
  return { 'get with at': get, 'row of _all_docs with at and documents': list / rows, '_history of three versions': entries }
}

async function main () {
  const subjects = { off: new Subject(), on: new Subject() }
  await subjects.off.open(false)
  await subjects.on.open(true)
  for (let round = 0; round < ROUNDS; round++) for (const name of round % 2 === 0 ? ['off', 'on'] : ['on', 'off']) await subjects[name].round()
  const before = { off: await subjects.off.bytes(), on: await subjects.on.bytes() }
  const edits = 2 * ROUNDS * EACH
  for (const subject of Object.values(subjects)) await subject.measure('compaction, of an edit', edits, () => subject.store.compact())
  const after = { off: await subjects.off.bytes(), on: await subjects.on.bytes() }
  console.log(`documents of ${JSON.stringify(body(1)).length} bytes, CPU time`.padEnd(44) + 'off         on')
  for (const name of Object.keys(subjects.off.costs)) {
    const [off, on] = [subjects.off, subjects.on].map(({ costs }) => median(costs[name].slice(costs[name].length > 1 ? 5 : 0)))
    console.log(`${name.padEnd(40)}${off.toFixed(1).padStart(5)} µs${on.toFixed(1).padStart(8)} µs`)
  }
  console.log(`bytes of a version: ${Math.round((before.on - before.off) / edits)} before compaction, ${Math.round((after.on - after.off) / edits)} after it`)
  for (const [name, cost] of Object.entries(await readMoments(subjects.on, 0))) console.log(`${name.padEnd(40)}${cost.toFixed(1).padStart(16)} µs`)
  for (const { store } of Object.values(subjects)) await store.close()
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
