'use strict'

const { Random, makeObject, makeObjects, makeLargeObject } = require('../lib/data/samples')
const { readMetadata, metadataOf, HEAD } = require('../lib/data/midi')
const { fill, openAgain, withFiles, withObjects } = require('../lib/objects/fill')

const SETS = 10
const TURNS = 10
const PROPERTY = 'property77'

/** Each edit changes 64 bytes of the notes. */
const EDIT = 64
const EDITS = 256
const FROM = 4096
const SPREAD = 12 * 1024

/** 2,000 objects, as in the paper. */
const small = { size: 2000, prepare: withObjects }

/** @type {import('../lib/run/catalogue').Trial[]} */
module.exports = [
  {
    ...small,
    name: 'get a property',
    unit: 'get',
    step: 2000,
    goal: { times: 5 },
    async run ({ subject, size }, start, step) {
      for (let index = start; index < start + step; index++) {
        const number = index % size
        let score = subject.get(number, 'score')
        if (typeof score !== 'number') score = await score
        if (score !== number + 0.5) throw new Error(`${score} is not the score of ${number}`)
      }
    }
  },
  {
    // Each is durable before the next.
    ...small,
    name: 'set a property',
    unit: 'set',
    step: 100,
    durable: true,
    goal: { most: 2, times: 5 },
    async run ({ subject, size }, start, step) {
      for (let index = start; index < start + step; index++) {
        const pending = subject.set(index % size, 'score', index)
        if (pending !== undefined) await pending
      }
      const last = start + step - 1
      if (await subject.get(last % size, 'score') !== last) throw new Error('It was not set')
    }
  },
  {
    // The properties are of ten objects: all or none are set.
    ...small,
    name: `transaction of ${SETS} sets`,
    unit: 'transaction',
    step: 20,
    durable: true,
    goal: { most: 8 },
    prepare: async (subject, options) => ({ ...await withObjects(subject, options), changes: new Array(SETS * 3) }),
    async run ({ subject, size, changes }, start, step) {
      for (let index = start; index < start + step; index++) {
        for (let set = 0; set < SETS; set++) {
          changes[set * 3] = (index * SETS + set) % size
          changes[set * 3 + 1] = 'score'
          changes[set * 3 + 2] = index
        }
        const pending = subject.transaction(changes)
        if (pending !== undefined) await pending
      }
      if (await subject.get(changes[0], 'score') !== start + step - 1) throw new Error('It was not set')
    }
  },
  {
    // The object has ten properties, one of them an object, and is durable before the next.
    ...small,
    name: 'new object',
    unit: 'object',
    step: 50,
    most: 200_000,
    durable: true,
    async run ({ subject, size }, start, step) {
      for (let number = size + start; number < size + start + step; number++) {
        const pending = subject.insert(number, [makeObject(number)])
        if (pending !== undefined) await pending
      }
      if (await subject.get(size + start, 'number') !== size + start) throw new Error('It is not there')
    }
  },
  {
    // They come in one transaction.
    name: '1000 new objects',
    unit: 'object',
    size: 0,
    step: 1000,
    most: 200_000,
    durable: true,
    prepare: async (subject) => ({ subject }),
    async run ({ subject }, start, step) {
      await subject.insert(start, makeObjects(start, step))
      if (await subject.get(start + step - 1, 'number') !== start + step - 1) throw new Error('They are not there')
    }
  },
  {
    // Division, tempo and name of files of 20 to 40 KB, as in the paper.
    name: 'read the metadata of a MIDI file',
    unit: 'file',
    needs: 'midi',
    size: 2000,
    step: 500,
    goal: { times: 5 },
    prepare: withFiles,
    async run ({ subject, size }, start, step) {
      for (let index = start; index < start + step; index++) {
        const number = index % size
        const head = subject.read(number, 0, HEAD)
        const found = readMetadata(head.length === undefined ? await head : head)
        if (found.name.length < 13) throw new Error(`${found.name} is not the name`)
        if (index === start) expectMetadata(found, number)
      }
    }
  },
  // As in the paper: all 64 bytes are as they were, or all are new, whatever happens.
  editMidi('modify 64 bytes of a MIDI file', 'midi', (subject, number, offset, bytes) => subject.edit(number, offset, bytes)),
  // A power cut in between may leave some of the 64 bytes, as it does in a file.
  editMidi('the same, not atomic', 'overwrite', (subject, number, offset, bytes) => subject.overwrite(number, offset, bytes)),
  {
    name: 'persist an object of 100,000 properties',
    unit: 'object',
    size: 100_000,
    step: 1,
    most: 20,
    durable: true,
    goal: { times: 1, than: 'lmdb' },
    prepare: async (subject, { size }) => ({ subject, size, object: makeLargeObject(size) }),
    async run ({ subject, size, object }, start) {
      await subject.insert(start, [object])
      if (await subject.get(start, `property${size - 1}`) !== object[`property${size - 1}`]) throw new Error('It is not there')
    }
  },
  {
    // The database was opened again before, which is not timed.
    name: 'get one of 100,000 properties, cold',
    unit: 'get',
    needs: 'files',
    size: 100_000,
    step: 1,
    most: 200,
    async prepare (subject, { size, reopen }) {
      const object = makeLargeObject(Math.max(size, 100))
      await subject.insert(0, [object])
      return { current: subject, expected: object[PROPERTY], reopen }
    },
    ready: openAgain,
    async run ({ current, expected }) {
      if (await current.get(0, PROPERTY) !== expected) throw new Error('Not the value')
    }
  },
  readProperty('read a number', { most: 0.15 }, (objects, start, end) => {
    let sum = 0
    for (let index = start; index < end; index++) sum += objects[index].visits
    return sum
  }),
  readProperty('read a short string', { most: 0.3 }, (objects, start, end) => {
    let sum = 0
    for (let index = start; index < end; index++) sum += objects[index].name.length
    return sum
  }),
  {
    name: 'read an element',
    unit: 'read',
    needs: 'root',
    size: 10_000,
    step: 1,
    prepare: withNumbers,
    async run ({ numbers, size }) {
      let sum = 0
      for (let index = 0; index < size; index++) sum += numbers[index]
      if (sum !== size * (size - 1)) throw new Error('Not what was stored')
      return size
    }
  },
  {
    // Each number is durable before the next.
    name: 'push',
    unit: 'push',
    needs: 'root',
    size: 10_000,
    step: 100,
    most: 1_000_000,
    durable: true,
    prepare: withNumbers,
    async run ({ numbers, size }, start, step) {
      for (let index = start; index < start + step; index++) numbers.push(index)
      if (numbers.length !== size + start + step) throw new Error(`Its length is ${numbers.length}`)
    }
  },
  ...require('./objects-whole')
]

/** 64 bytes of the notes of MIDI files of 20 to 40 KB, each edit durable before the next. */
function editMidi (name, needs, edit) {
  return {
    name,
    unit: 'edit',
    needs,
    size: 2000,
    step: 20,
    durable: true,
    goal: { times: 5 },
    async prepare (subject, options) {
      const random = new Random(5)
      const edits = Array.from({ length: EDITS }, () => ({
        bytes: Uint8Array.from({ length: EDIT }, () => random.next() & 127),
        offset: FROM + random.next() % SPREAD
      }))
      return { ...await withFiles(subject, options), edits }
    },
    async run ({ subject, size, edits }, start, step) {
      for (let index = start; index < start + step; index++) {
        const { offset, bytes } = edits[index % EDITS]
        const pending = edit(subject, index % size, offset, bytes)
        if (pending !== undefined) await pending
      }
      const last = start + step - 1
      const { offset, bytes } = edits[last % EDITS]
      if (Buffer.compare(await subject.read(last % size, offset, EDIT), bytes) !== 0) throw new Error('It was not modified')
    }
  }
}

/**
 * One property of 2,000 objects that the program holds in an array of its own, as a program reads
 * it: by a name in its text.
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
      return { objects, expected: sum(makeObjects(0, size), 0, size) }
    },
    async run ({ objects, expected }) {
      for (let turn = 0; turn < TURNS; turn++) {
        if (sum(objects, 0, objects.length) !== expected) throw new Error('Not what was stored')
      }
      return TURNS * objects.length
    }
  }
}

async function withNumbers ({ root }, { size }) {
  root.numbers = Array.from({ length: size }, (_, index) => index * 2)
  return { numbers: root.numbers, size }
}

function expectMetadata ({ division, tempo, name }, number) {
  const expected = metadataOf(number)
  if (division !== expected.division || tempo !== expected.tempo || name !== expected.name) throw new Error('Not the metadata')
}
