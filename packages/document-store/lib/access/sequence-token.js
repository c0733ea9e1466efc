'use strict'

const crypto = require('node:crypto')

/**
 * A sequence as a member sees it. Numbers would tell how much others write, so they are encrypted; and a feed that goes on
 * must know which roles its reader had, so those come along:
 *
 *   'a-' block [ '~' state ]      both base64url
 *
 *   block  AES of 8 bytes of the sequence and the first 8 bytes of what seals the state
 *   state  16 bytes that seal it, for this user and database, and JSON of FeedState without its sequence, encrypted:
 *          [roles], [roles, mark, first], or [roles, mark, had, told, [[role, first, reached]]]
 *
 * Encrypted one by one, equal sequences give equal texts, and nothing else is told of them.
 *
 * @typedef {object} FeedState where a feed stands
 * @property {number} seq up to which it was told
 * @property {string[]} roles that its reader had
 * @property {Chain} [chain] it is told in parts, and not yet all of it
 *
 * @typedef {object} Chain
 * @property {number} mark the sequence at which all was told last
 * @property {string[]} had roles that its reader had then
 * @property {string[]} told those of them that they have had ever since
 * @property {Span[]} spans what may have been told since: where roles change between two parts, it begins again
 *
 * @typedef {object} Span documents of a role, or of the member by their name, as they were told in parts
 * @property {string} role '' by their name
 * @property {number} first the last sequence that the member saw when it began
 * @property {number} [reached] the sequence at which it ended; undefined: it goes on
 */

/** A feed has one state for its rows, and one for its end. Two feeds of a member may go by turns. */
const MOST_STATES = 4

const TOKEN = /^"?a-([\w-]{22})(?:~([\w-]+))?"?$/

/** Says whether a text has the form of a member's sequence. @param {unknown} text */
function isToken (text) { return typeof text === 'string' && TOKEN.test(text) }

/** Writes and reads the sequences of one member in one database. */
class SequenceTokens {
  #secret
  #cipher
  #decipher
  /** The states that were written last: a seal, and how texts end. @type {Map<string, { seal: Buffer, end: string }>} */
  #states = new Map()

  /** @param {{ accessKey: string, instanceId: string, space: string }} member */
  constructor ({ accessKey, instanceId, space }) {
    this.#secret = crypto.createHmac('sha256', accessKey).update(`sequences\n${instanceId}\n${space}`).digest()
    const key = crypto.createHmac('sha256', this.#secret).update('block').digest().subarray(0, 16)
    this.#cipher = crypto.createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
    this.#decipher = crypto.createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  }

  /** @param {string} state */
  #seal (state) { return crypto.createHmac('sha256', this.#secret).update(`state\n${state}`).digest().subarray(0, 16) }

  /** Encrypts bytes, or decrypts them. @param {Buffer} bytes @param {Buffer} seal */
  #turn (bytes, seal) { return crypto.createCipheriv('aes-256-ctr', this.#secret, seal).update(bytes) }

  /** @param {string} text */
  #stateOf (text) {
    const known = this.#states.get(text)
    if (known !== undefined) return known
    if (this.#states.size === MOST_STATES) this.#states.clear()
    const seal = this.#seal(text)
    const state = { seal, end: text === '' ? '' : `~${Buffer.concat([seal, this.#turn(Buffer.from(text), seal)]).toString('base64url')}` }
    this.#states.set(text, state)
    return state
  }

  /** @param {FeedState} state */
  write (state) { return this.writeAll(state, [state.seq])[0] }

  /**
   * Writes one for each of several sequences.
   *
   * @param {Omit<FeedState, 'seq'>} state
   * @param {number[]} seqs
   */
  writeAll ({ roles, chain }, seqs) {
    const { seal, end } = this.#stateOf(pack({ roles, chain }))
    const blocks = Buffer.allocUnsafe(16 * seqs.length)
    for (const [i, seq] of seqs.entries()) {
      blocks.writeUInt32BE(Math.floor(seq / 2 ** 32), 16 * i)
      blocks.writeUInt32BE(seq % 2 ** 32, 16 * i + 4)
      seal.copy(blocks, 16 * i + 8, 0, 8)
    }
    const sealed = this.#cipher.update(blocks)
    return seqs.map((_, i) => `a-${sealed.toString('base64url', 16 * i, 16 * i + 16)}${end}`)
  }

  /**
   * Reads what it wrote.
   *
   * @param {unknown} text
   * @returns {FeedState | null} null of any other text
   */
  read (text) {
    const match = typeof text === 'string' ? TOKEN.exec(text) : null
    if (match === null) return null
    const sealed = Buffer.from(match[2] ?? '', 'base64url')
    const state = sealed.length > 16 ? this.#turn(sealed.subarray(16), sealed.subarray(0, 16)).toString() : ''
    const seal = this.#seal(state)
    const block = this.#decipher.update(Buffer.from(match[1], 'base64url'))
    if (block.length !== 16 || !crypto.timingSafeEqual(block.subarray(8), seal.subarray(0, 8))) return null
    if (state !== '' && !crypto.timingSafeEqual(sealed.subarray(0, 16), seal)) return null
    return { ...unpack(state), seq: Number(block.readBigUInt64BE()) }
  }
}

/** @param {Omit<FeedState, 'seq'>} state */
function pack ({ roles, chain }) {
  if (chain === undefined) return roles.length === 0 ? '' : JSON.stringify([roles])
  const { mark, had, told, spans } = chain
  const isPlain = spans.every(({ reached }) => reached === undefined) && [had, told].every(list => list.join() === roles.join())
  if (isPlain) return JSON.stringify([roles, wide(mark), wide(spans[0].first)])
  return JSON.stringify([roles, wide(mark), had, told, spans.map(({ role, first, reached }) => [role, wide(first), reached === undefined ? '' : wide(reached)])])
}

/** Begins to tell what a member sees. @param {string[]} roles @param {number} first @returns {Span[]} */
function openSpans (roles, first) { return ['', ...roles].map(role => ({ role, first })) }

/** The length of a text is seen: it does not tell how many digits a sequence has. @param {number} number */
function wide (number) { return String(number).padStart(16) }

/** @param {string} text @returns {Omit<FeedState, 'seq'>} */
function unpack (text) {
  const [roles, mark, had, told, spans] = text === '' ? [[]] : JSON.parse(text)
  if (mark === undefined) return { roles }
  if (told === undefined) return { roles, chain: { mark: Number(mark), had: roles, told: roles, spans: openSpans(roles, Number(had)) } }
  return { roles, chain: { mark: Number(mark), had, told, spans: spans.map(readSpan) } }
}

/** @param {[string, string, string]} span @returns {Span} */
function readSpan ([role, first, reached]) { return { role, first: Number(first), ...(reached !== '' && { reached: Number(reached) }) } }

module.exports = { SequenceTokens, isToken, openSpans }
