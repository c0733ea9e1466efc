'use strict'

const { fill } = require('./fill')
const { makeObject } = require('./samples')

const TURNS = 10

/**
 * The trial of reading one property of 2,000 objects that the program holds in an array of its own,
 * as a program reads it: by a name in its text.
 *
 * @param {string} name
 * @param {import('../catalogue').Trial['goal']} goal
 * @param {(objects: any[], start: number, end: number) => number} sum reads it of each
 * @returns {import('../catalogue').Trial}
 */
function readProperty (name, goal, sum) {
  return {
    name,
    unit: 'read',
    needs: 'root',
    size: 2000,
    step: 1,
    goal,
    async prepare (subject, { size }) {
      await fill(subject, size)
      const objects = Array.from({ length: size }, (_, number) => subject.root.objects[number])
      const expected = sum(Array.from({ length: size }, (_, number) => makeObject(number)), 0, size)
      return { objects, expected }
    },
    async run ({ objects, expected }) {
      for (let turn = 0; turn < TURNS; turn++) {
        if (sum(objects, 0, objects.length) !== expected) throw new Error('Not what was stored')
      }
      return TURNS * objects.length
    }
  }
}

module.exports = { readProperty }
