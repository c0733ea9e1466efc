'use strict'

const { invalidBookmark } = require('../mango/request/find-request')

/** How much of a database's instance id is in a bookmark. */
const LENGTH = 12

const FORM = /^(\d{1,16})-(\d{1,16})-([0-9a-f]{12})$/

/**
 * A place in the life of a database: all commits up to a sequence, and all purges up to a purge sequence. At 0 nothing is
 * known yet.
 *
 * @typedef {{ seq: number, purgeSeq: number }} Place
 */

/** @type {Place} */
const NOWHERE = Object.freeze({ seq: 0, purgeSeq: 0 })

/** A source whose bookmark tells no place: sequences would say how much others write. @typedef {{ isOfMember: true, bookmark: string, isBookmark (text: string): boolean }} PartSource */

/** @param {{ isOfMember: false, instanceId: string } | PartSource} source @param {Place} place */
function writePlace (source, { seq, purgeSeq }) { return source.isOfMember ? source.bookmark : `${seq}-${purgeSeq}-${source.instanceId.slice(0, LENGTH)}` }

/**
 * @param {{ isOfMember: false, instanceId: string, updateSeq: number, purgeSeq: number } | PartSource} source
 * @param {string} text
 * @returns {Place | null} null where it is of another database or user, or of one that came from a backup: there the client begins again
 * @throws invalid_bookmark
 */
function readPlace (source, text) {
  if (source.isOfMember) {
    if (!source.isBookmark(text)) throw invalidBookmark(text)
    return text === source.bookmark ? NOWHERE : null
  }
  const [, seq, purgeSeq, instance] = FORM.exec(text) ?? []
  if (instance === undefined) throw invalidBookmark(text)
  const place = { seq: Number(seq), purgeSeq: Number(purgeSeq) }
  const isOfThis = instance === source.instanceId.slice(0, LENGTH) && place.seq <= source.updateSeq && place.purgeSeq <= source.purgeSeq
  return isOfThis && place.seq > 0 ? place : null
}

module.exports = { NOWHERE, readPlace, writePlace }
