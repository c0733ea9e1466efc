'use strict'

// Opens what a power cut left of two pools, in the order that it is told, and says what it holds.

const { Notes } = require('../../lib/objects/joint/notes')
const { openBoth, problemOf } = require('./two-pools')

/** Whether a part was noted, and not brought in yet. */
let found = false
for (const name of ['forget', 'writeBroughtIn']) {
  const usual = Notes.prototype[name]
  Notes.prototype[name] = function (...args) {
    found = true
    return usual.apply(this, args)
  }
}

process.on('message', ({ folder, options, order }) => {
  found = false
  try {
    const pools = openBoth(folder, options, order)
    process.send({ problem: problemOf(pools), done: pools[0].root.done, found })
    for (const pool of pools) pool.close()
  } catch (error) {
    process.send({ problem: error.stack })
  }
})
