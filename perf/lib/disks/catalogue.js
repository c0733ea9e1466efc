'use strict'

/** Shapes of work: how many write at a time, and how many entries each puts at once. */
const shapes = {
  'one writer': { writers: 1, batch: 1 },
  '10 writers': { writers: 10, batch: 1 },
  '100 writers': { writers: 100, batch: 1 },
  'batches of 100': { writers: 1, batch: 100 },
  'batches of 1000': { writers: 1, batch: 1000 }
}

const states = ['new', 'warm', 'cold', 'churned']

module.exports = { shapes, names: Object.keys(shapes), states }
