'use strict'

const assert = require('node:assert/strict')
const { EventEmitter } = require('node:events')
const { DocumentStore } = require('@potoroo/document-store')
const { DatabaseView, UnlimitedView, VERBS } = require('../lib/databases/database-view')
const { MembersPolicy } = require('../lib/databases/members-policy')
const { PreparedPolicy } = require('../lib/databases/prepared-policy')
const { ReplicationsPolicy } = require('../lib/databases/replications-policy')
const { OwnUserPolicy, UsersPolicy } = require('../lib/databases/users-policy')
const { ShardPolicy } = require('../lib/shards/shard-policy')
const { ValidationPolicy } = require('../lib/databases/validation-policy')

/** Verbs of the store for its owner, not for requests. */
const OWNERS = ['autoCompaction', 'close', 'compactDocument', 'compaction', 'conflictsSync', 'deletedCount', 'destroy', 'forMember', 'getMeta', 'getSync', 'indexSpace', 'pageSync', 'readsAtOnce', 'setMeta', 'transact', 'winnersSync', 'writePrepared']

const POLICIES = [MembersPolicy, OwnUserPolicy, PreparedPolicy, ReplicationsPolicy, ShardPolicy, UsersPolicy, ValidationPolicy]

/** The public members of a class and of those that it extends, up to one of them. */
function membersOf (type, root) {
  const names = new Set()
  for (let at = type.prototype; at !== root.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) if (name !== 'constructor') names.add(name)
  }
  return [...names].sort()
}

describe('a database as requests see it', () => {
  // It says something of the view, and not of the store.
  const isVerb = name => name !== 'takesBare'
  const verbs = membersOf(DatabaseView, Object).filter(isVerb)

  it('has every verb of the document store that is not its owner\'s', () => {
    // `name` is a field of a store.
    assert.deepEqual([...verbs, ...OWNERS].sort(), [...membersOf(DocumentStore, EventEmitter), 'name'].sort())
    assert.deepEqual(Object.values(VERBS).flat().sort(), verbs)
  })

  for (const policy of POLICIES) {
    it(`is told by ${policy.name} what becomes of each verb`, () => {
      const memberOf = (type, verb) => {
        const { get, value } = Object.getOwnPropertyDescriptor(type.prototype, verb) ?? {}
        return get ?? value ?? memberOf(Object.getPrototypeOf(type), verb)
      }
      const undecided = verbs.filter(verb => memberOf(policy, verb) === memberOf(DatabaseView, verb))
      assert.deepEqual(undecided, [])
      for (const verb of membersOf(policy, DatabaseView).filter(isVerb)) assert.ok(verbs.includes(verb), verb)
    })
  }

  /** Returns what a view makes of each verb. */
  const outcomes = view => Object.fromEntries(verbs.map(verb => {
    try {
      const found = view[verb]
      return [verb, typeof found === 'function' ? found.call(view, 1, 2, 3, 4) : found]
    } catch (error) {
      assert.equal(error.message, `No policy lets ${verb} pass`)
      return [verb, 'denied']
    }
  }))
  const isFact = verb => VERBS.facts.includes(verb) && !['info', 'partitionInfo'].includes(verb)
  const store = new Proxy({}, { get: (_, verb) => isFact(verb) ? verb : (...given) => [verb, ...given] })

  it('passes each verb on that is listed, and denies the others', () => {
    assert.deepEqual(outcomes(new UnlimitedView(store)), Object.fromEntries(verbs.map(verb => [verb, isFact(verb) ? verb : [verb, 1, 2, 3, 4]])))
    assert.deepEqual(new Set(Object.values(outcomes(new DatabaseView(store)))), new Set(['denied']))
    class Reads extends DatabaseView { static { this.letPass(['name', 'get', 'changes']) } }
    class GetAlone extends Reads {
      static { this.letPass(['get', 'allDocs']) }
      get () { return 'own' }
    }
    const passed = view => Object.entries(outcomes(view)).filter(([, outcome]) => outcome !== 'denied')
    assert.deepEqual(passed(new Reads(store)), [['changes', ['changes', 1, 2, 3, 4]], ['get', ['get', 1, 2, 3, 4]], ['name', 'name']])
    assert.deepEqual(passed(new GetAlone(store)), [['allDocs', ['allDocs', 1, 2, 3, 4]], ['get', 'own']])
  })
})
