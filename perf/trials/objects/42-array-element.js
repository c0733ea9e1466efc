'use strict'

/** An element of an array of numbers, one after the other. */
module.exports = {
  name: 'read an element',
  unit: 'read',
  needs: 'root',
  size: 10_000,
  step: 1,
  async prepare ({ root }, { size }) {
    root.numbers = Array.from({ length: size }, (_, index) => index * 2)
    return { numbers: root.numbers, size }
  },
  async run ({ numbers, size }) {
    let sum = 0
    for (let index = 0; index < size; index++) sum += numbers[index]
    if (sum !== size * (size - 1)) throw new Error('Not what was stored')
    return size
  }
}
