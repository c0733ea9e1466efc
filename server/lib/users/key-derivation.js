'use strict'

const crypto = require('node:crypto')
const os = require('node:os')
const { promisify } = require('node:util')
const { createError } = require('@potoroo/errors')

const pbkdf2 = promisify(crypto.pbkdf2)

/** Derivations that wait, of all clients together. */
const MOST_WAITING = 1000

/**
 * PBKDF2, which by design takes a tenth of a second and more, on libuv's threads. Their number
 * leaves a core and half of the threads free for everything else. Clients take turns, each with
 * a queue of its own, so that who sends a flood of passwords waits for nobody's but their own.
 */
class KeyDerivation {
  #most
  #running = 0
  #waiting = 0
  /** Tasks by who waits for them, in the order of their turns. @type {Map<string, Task[]>} */
  #queues = new Map()
  #onBegin

  /** @param {{ most?: number, onBegin?: () => void }} [options] most: how many run at once; onBegin: is called for each */
  constructor ({ most = mostAtOnce(), onBegin = () => {} } = {}) {
    this.#most = most
    this.#onBegin = onBegin
  }

  /**
   * @param {string} client whose turn it costs
   * @param {{ password: string, salt: string, iterations: number, bytes: number, digest: string }} what
   * @returns {Promise<Buffer>}
   * @throws service unavailable where too much waits already
   */
  derive (client, what) {
    return new Promise((resolve, reject) => {
      this.#add(client, { what, resolve, reject })
      this.#next()
    })
  }

  /** @param {string} client @param {Task} task */
  #add (client, task) {
    if (this.#waiting >= MOST_WAITING) this.#refuseLast()
    const queue = this.#queues.get(client)
    if (queue === undefined) this.#queues.set(client, [task])
    else queue.push(task)
    this.#waiting++
  }

  /** Whoever has most waiting loses what came last. */
  #refuseLast () {
    let longest = ['', /** @type {Task[]} */ ([])]
    for (const each of this.#queues) if (each[1].length > longest[1].length) longest = each
    const [client, queue] = /** @type {[string, Task[]]} */ (longest)
    queue.pop()?.reject(createError('BUSY', { reason: 'Too many passwords are waiting to be checked.' }))
    this.#waiting--
    if (queue.length === 0) this.#queues.delete(client)
  }

  #next () {
    while (this.#running < this.#most && this.#waiting > 0) {
      const [client, queue] = /** @type {[string, Task[]]} */ (this.#queues.entries().next().value)
      const task = /** @type {Task} */ (queue.shift())
      // A client with more tasks comes after all others.
      this.#queues.delete(client)
      if (queue.length > 0) this.#queues.set(client, queue)
      this.#waiting--
      this.#run(task)
    }
  }

  /** @param {Task} task */
  async #run ({ what: { password, salt, iterations, bytes, digest }, resolve, reject }) {
    this.#running++
    this.#onBegin()
    try {
      resolve(await pbkdf2(password, salt, iterations, bytes, digest))
    } catch (error) {
      reject(error)
    } finally {
      this.#running--
      this.#next()
    }
  }
}

/** @typedef {{ what: any, resolve: (key: Buffer) => void, reject: (error: Error) => void }} Task */

function mostAtOnce () {
  const threads = Number(process.env.UV_THREADPOOL_SIZE) || 4
  return Math.max(1, Math.min(Math.floor(threads / 2), os.availableParallelism() - 1))
}

module.exports = { KeyDerivation }
