#!/usr/bin/env node
'use strict'

// node perf/bin/cores.js [--only PATTERN] [--rounds N] [--times N] prints how far requests scale with cores, from what each thread of a server does: one
// with a single thread, and one with two that serve HTTP beside the one that owns the databases, by turns. µs of CPU time a request: of all
// threads, of the owner, and of the others. From these shares: how many times as many requests 2, 4, 8 and 16 cores answer with as many
// workers, where no thread waits for another. Clients are other processes, and do not count. A round is N
// times as long as that of other benchmarks (8): code that two workers run is compiled in each.

const { createDatabase } = require('../lib/http/database')
const { ServerProcess } = require('../lib/http/server-process')
const { describeMachine } = require('../lib/report/machine')
const { median } = require('../lib/report/statistics')
const { shapes } = require('../lib/requests/shapes')
const { choose, readOptions } = require('../lib/run/command-line')
const { threadCpu } = require('../lib/run/meters')
const { Scratch } = require('../lib/run/scratch')

const { values } = readOptions({
  options: { only: { type: 'string', default: '^(get a document|put a new document|update a document|bulk of 1000 new documents|all docs|changes, the last 10|view, by key|find, by index)$' }, rounds: { type: 'string', default: '6' }, times: { type: 'string', default: '8' } }
})

const CONNECTIONS = 20
const WORKERS = 2
const CORES = [2, 4, 8, 16]

/** One server, and what its threads took in each round. */
class Subject {
  all = []
  owner = []
  #next = 0

  static async start (workers, shape, folder) {
    const server = await ServerProcess.start('http/potoroo, pmem', folder, { PMEM_IS_PMEM_FORCE: '1', TEST_WORKERS: String(workers) })
    const subject = Object.assign(new Subject(), { server, shape })
    const { size = 1000, prepare } = shape
    await createDatabase(server, size, { connections: CONNECTIONS })
    subject.client = server.client({ connections: CONNECTIONS })
    subject.state = { size, url: server.url, stamp: 'cores', open: connections => server.client({ connections }) }
    Object.assign(subject.state, await prepare?.(subject.client, subject.state))
    await server.collect()
    return subject
  }

  async turn () {
    const { request, units = 1 } = this.shape
    const step = (this.shape.step ?? 250) * Number(values.times)
    const { pid } = this.server
    const before = threadCpu(pid)
    await this.client.concurrently(this.#next, step, n => request(this.client, this.state, n))
    const after = threadCpu(pid)
    this.#next += step
    const cost = thread => (after[thread] - (before[thread] ?? 0)) / (step * units)
    this.all.push(Object.keys(after).reduce((sum, thread) => sum + cost(thread), 0))
    this.owner.push(cost(pid))
  }

  /** Medians without the rounds that warm up. */
  get costs () {
    const settled = list => median(list.slice(Math.floor(list.length / 3)))
    return { all: settled(this.all), owner: settled(this.owner) }
  }
}

async function measure (shape, scratch) {
  const subjects = []
  try {
    for (const workers of [1, WORKERS]) subjects.push(await Subject.start(workers, shape, scratch.folder('tmpfs')))
    for (let round = 0; round < Number(values.rounds); round++) for (const subject of subjects) await subject.turn()
    return subjects.map(({ costs }) => costs)
  } finally {
    for (const { server } of subjects) await server.close()
  }
}

/** How many times the requests of one thread: no thread does more than a core can, nor all more than all cores. */
function scaled (single, { all, owner }, cores) {
  return single.all / Math.max(owner, (all - owner) / cores, all / cores)
}

async function main () {
  const chosen = choose(shapes, values.only)
  const scratch = new Scratch({ tmpfs: '/dev/shm' })
  console.log(`| µs of CPU time | one thread | ${WORKERS} workers | of it the owner | ${CORES.map(cores => `${cores} cores`).join(' | ')} |`)
  console.log(`| --- |${' ---: |'.repeat(3 + CORES.length)}`)
  try {
    for (const shape of chosen) {
      const [single, several] = await measure(shape, scratch)
      const figures = [single.all, several.all, several.owner].map(each => each.toFixed(1))
      console.log(`| ${shape.name} | ${figures.join(' | ')} | ${CORES.map(cores => `× ${scaled(single, several, cores).toFixed(1)}`).join(' | ')} |`)
    }
  } finally {
    scratch.remove()
  }
  const { cpu, cores, node, time, load } = describeMachine()
  console.log(`\n${cpu}, ${cores} cores, Node.js ${node}, ${time.slice(0, 10)}; ${CONNECTIONS} connections, median of ${values.rounds} rounds, load ${load.toFixed(1)} at the start`)
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
