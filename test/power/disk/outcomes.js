'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')

/**
 * The requests that a server got, and those that it acknowledged:
 *
 *   { change, writes: [[subject, state], …] }   is asked for, all of it or nothing
 *   { change, loose: true, writes }             the same, of which a part may be there before it is acknowledged
 *   { change }                                  was acknowledged
 *
 * A subject is changed by one client only, one change at a time. A state is JSON, null for nothing.
 */
class Outcomes {
  #events

  /** @param {string} file of lines of JSON */
  constructor (file) {
    this.#events = fs.readFileSync(file, 'utf8').split('\n').slice(0, -1).map(line => JSON.parse(line))
  }

  /** Whether something was told before a position. */
  has (word, position) {
    return this.#events.some(event => event[word] !== undefined && event.at <= position)
  }

  /**
   * Demands that of each subject there is what was acknowledged last before a cut, or what was asked for after that.
   *
   * @param {(subject: string) => any} stateOf
   * @param {number} position
   * @returns {number} subjects that were compared
   */
  verify (stateOf, position) {
    const owed = new Map()
    const pending = new Map()
    for (const { change, writes, loose } of this.#events.filter(({ at }) => at <= position)) {
      if (writes !== undefined) pending.set(change, { writes, loose })
      else if (pending.delete(change)) for (const [subject, state] of this.#writesOf(change)) owed.set(subject, state)
    }
    const open = new Set()
    for (const { writes, loose } of pending.values()) {
      for (const [subject] of writes) open.add(subject)
      if (!loose) demandAllOrNothing(writes, owed, stateOf)
    }
    for (const [subject, state] of owed) if (!open.has(subject)) assert.deepEqual(stateOf(subject), state, `${subject} is not what was acknowledged`)
    return owed.size
  }

  #writesOf (change) {
    return this.#events.find(event => event.change === change && event.writes !== undefined).writes
  }
}

function demandAllOrNothing (writes, owed, stateOf) {
  const matches = state => writes.map(([subject, after]) => JSON.stringify(stateOf(subject)) === JSON.stringify(state(subject, after)))
  const done = matches((_, after) => after)
  const undone = matches(subject => owed.get(subject) ?? null)
  if (done.every(Boolean) || undone.every(Boolean)) return
  const subject = writes[done.findIndex((is, i) => !is && !undone[i])]?.[0]
  assert.fail(subject === undefined
    ? `of a change of ${writes.length} subjects (${writes[0][0]}, …) ${done.filter(Boolean).length} are there`
    : `${subject} is neither what it was nor what was asked for: ${JSON.stringify(stateOf(subject))}`)
}

module.exports = { Outcomes }
