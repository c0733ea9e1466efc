'use strict'

/** Milliseconds after which those that came meanwhile wait no longer for the ones that run. */
const LONG = 50

/** Calls that go at once, and UTF-16 units of their arguments. */
const MOST = 64
const LARGEST = 256 * 1024

/**
 * Calls of one request.
 *
 * @template T
 * @typedef {{ texts: string[], resolve: (answers: T[]) => void, reject: (error: unknown) => void }} Member
 */

/**
 * Calls of one program, of several requests, that go to it together: those that come while others run wait
 * for them, and then go at once. A thread is woken for all of them, which costs more than most functions.
 * If a batch fails, each call is made by itself, so that it fails alone.
 *
 * @template T
 */
class Gathering {
  #run
  #alone
  /** @type {Array<Member<T>>} */
  #waiting = []
  #running = 0
  #startedAt = -Infinity
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {(texts: string[]) => Promise<T[]>} run
   * @param {(texts: string[]) => Promise<T[]>} alone the same for one request's, after `run` failed
   */
  constructor (run, alone) {
    this.#run = run
    this.#alone = alone
  }

  /** @param {string[]} texts JSON of the calls @returns {Promise<T[]>} */
  add (texts) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ texts, resolve, reject })
      if (this.#running === 0) this.#next()
      else this.#wakeLater()
    })
  }

  #wakeLater () {
    const left = this.#startedAt + LONG - performance.now()
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#next()
    }, Math.max(1, left))
  }

  #next () {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.length === 0) return
    const members = this.#take()
    this.#running++
    this.#startedAt = performance.now()
    this.#go(members).finally(() => {
      this.#running--
      if (this.#running === 0) this.#next()
    })
    if (this.#waiting.length > 0) this.#wakeLater()
  }

  #take () {
    let count = 0
    for (let units = 0; count < this.#waiting.length && count < MOST; count++) {
      for (const text of this.#waiting[count].texts) units += text.length
      if (units > LARGEST && count > 0) break
    }
    return this.#waiting.splice(0, count)
  }

  /** @param {Array<Member<T>>} members */
  async #go (members) {
    if (members.length === 1) return settle(members[0], this.#alone)
    try {
      const answers = await this.#run(members.flatMap(({ texts }) => texts))
      let at = 0
      for (const { texts, resolve } of members) resolve(answers.slice(at, at += texts.length))
    } catch {
      await Promise.all(members.map(member => settle(member, this.#alone)))
    }
  }
}

/** @template T @param {Member<T>} member @param {(texts: string[]) => Promise<T[]>} run */
async function settle ({ texts, resolve, reject }, run) {
  try {
    resolve(await run(texts))
  } catch (error) {
    reject(error)
  }
}

module.exports = { Gathering }
