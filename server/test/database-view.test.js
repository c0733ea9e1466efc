'use strict'

const assert = require('node:assert/strict')
const { EventEmitter } = require('node:events')
const { DocumentStore } = require('@potoroo/document-store')
const { DatabaseView, VERBS } = require('../lib/databases/database-view')
const { MembersPolicy } = require('../lib/databases/members-policy')
const { ReplicationsPolicy } = require('../lib/databases/replications-policy')
const { OwnUserPolicy, UsersPolicy } = require('../lib/databases/users-policy')
const { ValidationPolicy } = require('../lib/databases/validation-policy')

/** Verbs of the store for its owner, not for requests. */
const OWNERS = ['autoCompaction', 'close', 'compactDocument', 'compaction', 'destroy', 'getMeta', 'indexSpace', 'setMeta']

const POLICIES = [MembersPolicy, OwnUserPolicy, ReplicationsPolicy, UsersPolicy, ValidationPolicy]

/** The public members of a class and of those that it extends, up to one of them. */
function membersOf (type, root) {
  const names = new Set()
  for (let at = type.prototype; at !== root.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) if (name !== 'constructor') names.add(name)
  }
  return [...names].sort()
}

describe('a database as requests see it', () => {
  const verbs = membersOf(DatabaseView, Object)

  it('has every verb of the document store that is not its owner\'s', () => {
    // `name` is a field of a store.
    assert.deepEqual([...verbs, ...OWNERS].sort(), [...membersOf(DocumentStore, EventEmitter), 'name'].sort())
    assert.deepEqual(Object.values(VERBS).flat().sort(), verbs)
  })

  for (const policy of POLICIES) {
    it(`is told by ${policy.name} what becomes of each verb`, () => {
      const decided = membersOf(policy, DatabaseView)
      assert.deepEqual([...decided, ...policy.passes].filter(name => !verbs.includes(name)), [], 'no verb')
      assert.deepEqual(verbs.filter(name => !decided.includes(name) && !policy.passes.includes(name)), [], 'not mentioned')
    })
  }

  it('passes each verb on', () => {
    const answers = new Proxy({}, { get: (_, name) => VERBS.facts.includes(name) && !['info', 'partitionInfo'].includes(name) ? name : (...args) => [name, ...args] })
    const view = new DatabaseView(answers)
    for (const name of verbs) {
      const found = view[name]
      assert.deepEqual(typeof found === 'function' ? found.call(view, 1, 2, 3, 4).slice(0, 1 + found.length) : [found], typeof found === 'function' ? [name, ...[1, 2, 3, 4].slice(0, found.length)] : [name])
    }
  })
})
