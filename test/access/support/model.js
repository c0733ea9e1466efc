'use strict'

const { mayReplace, reads } = require('./rules')

/**
 * A database with access by document, as plainly as it can be said: a list of documents, each with its leaves.
 *
 * @typedef {{ name: string, roles: string[], admin?: boolean }} Person
 * @typedef {{ rev: string, deleted: boolean, body: Record<string, any>, attachments: Record<string, string>, path: string[] }} Leaf `path`: it and its ancestors
 * @typedef {{ document: Document, kind: 'id' | 'rev' | 'body', leaf?: { body: any } }} Place where a canary is: a leaf, or any that was
 * @typedef {{ places: Place[], seenBy: Set<string> }} Owner of a canary; `seenBy`: who could see it at some time
 * @typedef {{ id: string, leaves: Leaf[], revs: string[], owned: Owner[], secret: boolean }} Document `secret`: the observer is never to see it
 */
class Model {
  /** @type {Document[]} */
  documents = []
  /** @type {Person[]} */
  people = []

  /** @param {string} id */
  find (id) { return this.documents.find(document => document.id === id) }

  /** Whether a person sees that a document is there: that is as its winner says. @param {Person} person @param {Document} document */
  sees (person, document) { return this.documents.includes(document) && reads(person, document.id, winner(document)) }

  /** The documents that a person sees, deleted ones too. @param {Person} person */
  seenBy (person) { return this.documents.filter(document => this.sees(person, document)) }

  /** The same, without deleted ones. @param {Person} person */
  liveFor (person) { return this.seenBy(person).filter(document => !winner(document).deleted) }

  /** The leaves of a document that a person sees. @param {Person} person @param {Document} document */
  leavesFor (person, document) { return this.sees(person, document) ? document.leaves.filter(leaf => reads(person, document.id, leaf)) : [] }

  /** Whether a person may put a body on top of a document. @param {Person} person @param {Document} document @param {any} body @param {string} [parent] a leaf */
  mayWrite (person, document, body, parent) {
    const isThere = this.documents.includes(document)
    return mayReplace(person, isThere ? winner(document) : undefined, document.id, body, isThere ? document.leaves.find(({ rev }) => rev === parent) : undefined)
  }

  /** Whether a canary may be shown to a person. @param {Person} person @param {Owner} owner */
  mayShow (person, { places }) {
    return places.some(({ document, leaf }) => this.sees(person, document) && (leaf === undefined || reads(person, document.id, leaf)))
  }

  /** Has a document another leaf. @param {Document} document @param {Leaf} leaf @param {string} [parent] */
  write (document, leaf, parent) {
    if (!this.documents.includes(document)) this.documents.push(document)
    document.leaves = [...document.leaves.filter(({ rev }) => rev !== parent), leaf]
    document.revs.push(leaf.rev)
    this.note()
  }

  /** Remembers who sees what now. */
  note () {
    for (const { owned } of this.documents) {
      for (const owner of owned) for (const person of this.people) if (this.mayShow(person, owner)) owner.seenBy.add(person.name)
    }
  }
}

/** @param {Document} document @returns {Leaf} */
function winner ({ leaves }) {
  const [best] = [...leaves].sort((a, b) => Number(a.deleted) - Number(b.deleted) || generation(b) - generation(a) || (a.rev < b.rev ? 1 : -1))
  return best
}

/** @param {Leaf} leaf */
function generation ({ rev }) { return Number(rev.slice(0, rev.indexOf('-'))) }

module.exports = { Model, winner }
