'use strict'

// Loaded into the server's process before all else (`node --require`): it measures what an attack
// costs, and does to the process what only its machine could do. Its parent asks by messages.

const fs = require('node:fs')
const workers = require('node:worker_threads')
const { Stall } = require('../../../perf/lib/stalls/stall')

/** Looks between two at the process's memory. */
const MEMORY_EVERY = 10

function monitor () {
  const stall = new Stall()
  const memory = new Memory()
  const threads = recordThreads()
  const clock = new Clock()
  let looks = 0
  stall.watch(() => { if (looks++ % MEMORY_EVERY === 0) memory.look() })
  /** @type {Record<string, (argument: any) => any>} */
  const calls = {
    reset () {
      stall.reset()
      memory.reset()
      return true
    },
    figures () {
      stall.look()
      const left = settled()
      // To collect garbage was the monitor's wish.
      stall.skip()
      return { stall: stall.longest, peak: memory.peak, ...left }
    },
    stallnow: () => stall.longest,
    clock: offset => clock.set(offset),
    async endThreads (name) {
      const found = threads(name)
      await Promise.all(found.map(thread => thread.terminate()))
      return found.length
    }
  }
  process.on('message', async ([name, argument]) => process.send(await calls[name](argument)))
  process.channel.unref()
}

class Memory {
  peak = 0

  look () { this.peak = Math.max(this.peak, anonymous()) }

  reset () {
    this.peak = 0
    this.look()
  }
}

/** Bytes of the process that are no file's: a pool is mapped. */
function anonymous () { return Number(/^RssAnon:\s+(\d+)/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]) * 1024 }

/** Returns what is left once garbage is collected. */
function settled () {
  for (let i = 0; i < 3; i++) globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return { anonymous: anonymous(), heap: heapUsed, external, descriptors: fs.readdirSync('/proc/self/fd').length, threads: fs.readdirSync('/proc/self/task').length }
}

/** @returns {(name: string) => workers.Worker[]} the threads that run a file of that name and have not ended */
function recordThreads () {
  /** @type {Map<workers.Worker, string>} */
  const running = new Map()
  const { Worker } = workers
  class RecordedWorker extends Worker {
    constructor (file, options) {
      super(file, options)
      running.set(this, String(file))
      this.once('exit', () => running.delete(this))
    }
  }
  Object.defineProperty(workers, 'Worker', { value: RecordedWorker })
  return name => [...running].filter(([, file]) => file.includes(name)).map(([worker]) => worker)
}

/** The time of day, which somebody else may set; timers do not go by it. */
class Clock {
  #Date = Date
  #offset = 0

  /** @param {number} offset milliseconds from the real time */
  set (offset) {
    this.#offset = offset
    const RealDate = this.#Date
    const now = () => RealDate.now() + this.#offset
    globalThis.Date = /** @type {any} */ (new Proxy(RealDate, {
      construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [now()] : args, self),
      apply: () => new RealDate(now()).toString(),
      get: (target, name) => name === 'now' ? now : Reflect.get(target, name)
    }))
    return true
  }
}

if (workers.isMainThread && process.send !== undefined) monitor()
