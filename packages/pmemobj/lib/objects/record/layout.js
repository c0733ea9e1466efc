'use strict'

// How the objects of a pool lie in its ordered maps. docs/objects-format.md has it byte by byte.

const { JOINT } = require('../../map/map-name')

/** The names of the maps. They begin with NUL, as those of users cannot. */
const MAPS = Object.freeze({ objects: '\0objects', shapes: '\0shapes', buffers: '\0buffers', joint: JOINT })

/** Version of the format, in the meta record. */
const FORMAT = 1

/** The id of the meta record: what ids are next, and the root. */
const META = 0
/** The id of an object that is not in the pool (yet). */
const UNATTACHED = -1
/** Bytes of an id, big endian: objects lie in the order in which they were made. */
const ID_SIZE = 6
const MAX_ID = 2 ** 48 - 2

/** Follows the id in the key of a part. */
const PART = Object.freeze({ chunk: 1 })

/** First byte of a record. */
const KIND = Object.freeze({
  meta: 0,
  object: 1,
  dictionary: 2,
  array: 3,
  text: 4,
  date: 5,
  map: 6,
  set: 7,
  buffer: 8,
  view: 9,
  regexp: 10,
  boxed: 11,
  error: 12,
  errorDictionary: 13,
  queue: 14
})

/** First byte of a value. From `small` on, it is a whole number itself: 0 to 127. */
const TAG = Object.freeze({
  hole: 0,
  undefined: 1,
  null: 2,
  false: 3,
  true: 4,
  integer: 5,
  double: 6,
  latin1: 7,
  utf16: 8,
  bigint: 9,
  reference: 10,
  text: 11,
  symbol: 12,
  small: 128
})

/** Slots of a chunk: what is encoded again when one of them changes. */
const CHUNK = 32
/** Code units of a string that is kept in its slot; longer ones are records of their own. */
const SHORT = 256

module.exports = { MAPS, FORMAT, META, UNATTACHED, ID_SIZE, MAX_ID, PART, KIND, TAG, CHUNK, SHORT }
