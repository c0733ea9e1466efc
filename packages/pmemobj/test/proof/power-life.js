'use strict'

const fs = require('node:fs')
const path = require('node:path')
const fc = require('fast-check')
const simulator = require('./native/build/Release/simulator.node')
const { describe, walk } = require('./graph')
const { randomFrom } = require('./random')
const { run } = require('./steps')
const { ModelWorld, PoolWorld } = require('./worlds')

// Images that are looked at, or wait for that, at a time.
const SLOTS = 6
// After which the commit is durable whatever the durability is.
const DURABLE = ['flush', 'reopen', 'bytes']

/**
 * @typedef {object} Kind
 * @property {boolean} disk or persistent memory
 * @property {'strict' | 'relaxed'} durability
 *
 * @typedef {object} State of the model
 * @property {string} text
 * @property {object} saved
 * @property {{ number: number, from: number, to: number }} [unknown] bytes that were being written,
 *   outside of a transaction
 */

/**
 * One pool and its model, that a program runs on while power fails again and again: each cut has to
 * leave the state before the step under way, or the one after it. (Of a relaxed pool: one since the
 * last that was flushed.) In a process that the simulator is put before.
 */
class PowerLife {
  cuts = 0
  steps = 0
  crashes = 0
  /** @type {string | undefined} what a cut left that is not allowed, or how the pool differs from the model */
  wrong
  #folder
  #kind
  #plan
  #verifiers
  #random
  #world
  #model = new ModelWorld()
  /** @type {State[]} */
  #states = []
  #first = 0
  #lives = 0
  #pending = new Set()

  /**
   * @param {string} folder
   * @param {Kind} kind
   * @param {{ fences: number, flushes: number, seed: number, creation: boolean }} plan one point in that
   *   many is cut; those while the pool is made too, or not
   * @param {import('./verifiers').Verifiers} verifiers
   */
  constructor (folder, kind, plan, verifiers) {
    this.#folder = folder
    this.#kind = kind
    this.#plan = plan
    this.#verifiers = verifiers
    this.#random = randomFrom(plan.seed)
  }

  /** @param {import('./steps').Step[]} program */
  async run (program) {
    this.#begin()
    try {
      if (this.#plan.creation) this.#planCuts()
      this.#open()
      this.#planCuts()
      this.#settle()
      for (const step of program) {
        if (step.type === 'crash') await this.#crash(step)
        else await this.#step(step)
        this.steps++
        if (this.wrong !== undefined) break
      }
      this.#world.close()
      await this.#judgeAll()
    } finally {
      simulator.stop()
      fs.rmSync(this.#folder, { recursive: true, force: true })
    }
  }

  get #live () { return path.join(this.#folder, `live-${this.#lives}`) }

  #begin () {
    fs.mkdirSync(this.#live, { recursive: true })
    simulator.start(this.#live, this.#kind.disk, path.join(this.#folder, 'image-'), SLOTS, this.#plan.seed + this.#lives)
    if (this.#states.length === 0) this.#push()
  }

  #planCuts () {
    simulator.plan(this.#plan.fences, this.#plan.flushes)
  }

  #open () {
    const size = { size: 8 * 2 ** 20, maxSize: 0 }
    this.#world = new PoolWorld(path.join(this.#live, 'pool'), { ...size, durability: this.#kind.durability })
  }

  /** The state of the model is one that a cut may leave from now on. */
  #push (unknown) {
    const model = this.#model
    this.#states.push({ text: model.describe({ unknown }), saved: model.save(), unknown })
    simulator.allow(this.#first, this.#states.length - 1)
  }

  /** It is the only one: no state before it is allowed, and no byte unknown. */
  #settle () {
    this.#push()
    this.#first = this.#states.length - 1
    simulator.allow(this.#first, this.#first)
  }

  async #step (step) {
    this.#make(step)
    await this.#judge()
  }

  /** The step, in the model and in the pool, which have to agree. */
  #make (step) {
    // Flushed bytes do not take the commits before them along.
    if (step.type === 'bytes' && this.#kind.durability === 'relaxed') this.#make({ type: 'flush' })
    const { saved } = this.#states.at(-1)
    const expected = outcomeOf(this.#model, step)
    this.#push(step.type === 'bytes' ? this.#unknownOf(step) : undefined)
    const given = outcomeOf(this.#world, step)
    if (given === 'PMEMOBJ_NO_SPACE') this.#model.restore(saved)
    else if (given !== expected) this.#fail(step, `gave ${given}, not ${expected}`)
    if (this.#kind.durability === 'strict' || DURABLE.includes(step.type)) this.#settle()
    else if (given === 'PMEMOBJ_NO_SPACE') this.#push()
    const [here, there] = [this.#world, this.#model].map(world => world.describe({ held: true }))
    if (here !== there) this.#fail(step, difference(here, [there]))
  }

  #unknownOf ({ at, offset, bytes }) {
    const buffers = this.#model.objects('ArrayBuffer')
    const buffer = buffers[at % buffers.length]
    const number = walk([this.#model.root]).get(buffer)
    if (number === undefined) return undefined
    const from = Math.min(offset, buffer.byteLength)
    return { number, from, to: Math.min(from + bytes.length, buffer.byteLength) }
  }

  #fail (step, what) {
    this.wrong ??= `${JSON.stringify(this.#kind)} ${fc.stringify(step)}: ${what}`
  }

  /** Power fails for good while the step is made, and life goes on with what is left. */
  async #crash ({ step, choice }) {
    await this.#judgeAll()
    simulator.plan(1, 2)
    this.#make(step)
    this.#planCuts()
    const cuts = this.#take()
    // The bytes of a state are known if none was being written.
    const known = cuts.filter(({ last }) => this.#states[last].unknown === undefined)
    if (known.length > 0) {
      const cut = known[choice % known.length]
      this.#leave(cut.slot)
      cuts.forEach(cut => this.#ask(cut))
      await this.#judgeAll()
      this.#goOn(cut)
    } else {
      cuts.forEach(cut => this.#ask(cut))
    }
  }

  /** The image becomes the next pool, before a verifier has changed it. */
  #leave (slot) {
    const live = this.#live
    this.#lives++
    fs.cpSync(path.join(this.#folder, `image-${slot}`), this.#live, { recursive: true })
    this.#world.close()
    fs.rmSync(live, { recursive: true })
  }

  /** Opens it, while power may fail again. */
  #goOn ({ first, last }) {
    simulator.stop()
    this.#begin()
    this.#planCuts()
    this.#first = first
    this.#states.length = last + 1
    simulator.allow(first, last)
    this.#open()
    this.crashes++
    const text = this.#world.describe()
    const state = this.#states.slice(first).find(state => state.text === text)
    if (state === undefined) return this.#fail('after the crash', difference(text, this.#states.slice(first).map(state => state.text)))
    this.#model.restore({ ...state.saved, held: [] })
    this.#settle()
  }

  #take () {
    const flat = simulator.take()
    const cuts = []
    for (let i = 0; i < flat.length; i += 5) {
      const [slot, first, last, mood, point] = flat.slice(i, i + 5)
      cuts.push({ slot, first, last, mood, point })
    }
    return cuts
  }

  async #judge () {
    for (const cut of this.#take()) this.#ask(cut)
    while (this.#pending.size >= SLOTS - 2) await Promise.race(this.#pending)
  }

  async #judgeAll () {
    await this.#judge()
    await Promise.all(this.#pending)
  }

  #ask ({ slot, first, last, mood, point }) {
    this.cuts++
    const states = this.#states.slice(first, last + 1)
    const { unknown } = states.at(-1)
    const request = {
      path: path.join(this.#folder, `image-${slot}`, 'pool'),
      check: this.#random() < 0.25,
      goOn: this.#random() < 0.15,
      mayBeNone: last === 0,
      unknown
    }
    const asked = this.#verifiers.ask(request).then(reply => {
      this.#pending.delete(asked)
      const allowed = unknown === undefined ? states.map(state => state.text) : [states.at(-1).text]
      const wrong = reply.none || allowed.includes(reply.text) ? undefined : reply.wrong ?? difference(reply.text, allowed)
      if (wrong !== undefined) this.#fail({ cut: point, mood, seed: this.#plan.seed, state: last }, wrong)
      simulator.release(slot)
    })
    this.#pending.add(asked)
  }
}

/** Says in words what the step gave in that world. */
function outcomeOf (world, step) {
  try {
    return describe([run(world, step)])
  } catch (error) {
    return error.code ?? error.name
  }
}

function difference (text, allowed) {
  const lines = text.split('\n')
  const other = allowed.at(-1).split('\n')
  const at = lines.findIndex((line, index) => line !== other[index])
  const line = at === -1 ? lines.length : at
  return `it holds none of the ${allowed.length} states that it may; in line ${line}\n  ${lines[line]?.slice(0, 500)}\nand in the latest\n  ${other[line]?.slice(0, 500)}`
}

module.exports = { PowerLife }
