'use strict'

/** A number at the end of an array, durable before the next. */
module.exports = {
  name: 'push',
  unit: 'push',
  needs: 'root',
  size: 10_000,
  step: 100,
  most: 1_000_000,
  durable: true,
  async prepare ({ root }, { size }) {
    root.numbers = Array.from({ length: size }, (_, index) => index)
    return { numbers: root.numbers, size }
  },
  async run ({ numbers, size }, start, step) {
    for (let index = start; index < start + step; index++) numbers.push(index)
    if (numbers.length !== size + start + step) throw new Error(`Its length is ${numbers.length}`)
  }
}
