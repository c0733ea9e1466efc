'use strict'

const { processMemory } = require('../run/meters')

const MIB = 2 ** 20

/** Prints what memory a process takes above what it took at first, MiB. */
class MemoryMeter {
  #name
  #first
  #anonymous = 0
  #resident = 0

  /** The most of all, without files that are mapped. */
  most = 0

  /** @param {string} name of what is measured */
  constructor (name) {
    this.#name = name
    this.#first = read()
  }

  /** To be called where memory may be at its most. */
  look () {
    const now = read()
    this.#anonymous = Math.max(this.#anonymous, now.anonymous - this.#first.anonymous)
    this.#resident = Math.max(this.#resident, now.resident - this.#first.resident)
    this.most = Math.max(this.most, this.#anonymous)
  }

  async measure (step, work) {
    this.#anonymous = this.#resident = 0
    const cpu = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(cpu)
    const figures = [`${this.#anonymous.toFixed(1)} MiB at most`, `${(this.settled()).toFixed(1)} MiB after it`, `${this.#resident.toFixed(1)} MiB with mapped files`, `${((user + system) / 1e6).toFixed(1)} s of CPU`]
    console.log(`${this.#name.padEnd(14)} ${step.padEnd(10)} ${figures.join(', ')}`)
  }

  /** Returns what is left of it after garbage was collected, without files. */
  settled () {
    global.gc()
    return read().anonymous - this.#first.anonymous
  }
}

function read () {
  const { own, resident } = processMemory()
  return { anonymous: own / MIB, resident: resident / MIB }
}

module.exports = { MemoryMeter }
