'use strict'

const { createError } = require('@potoroo/errors')
const { requireObject } = require('../documents/input')
const { readNouveauQuery } = require('./nouveau-args')
const { readQuery } = require('./search-args')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/** @param {PotorooRequest} req */
function partitionOf ({ search }) { return new URLSearchParams(search).get('partition') ?? undefined }

/** The parameters of a `_search`, as they came. @param {PotorooRequest} req @returns {Record<string, any>} */
function givenOfSearch (req) {
  if (req.method !== 'POST') return readQuery(req.search)
  const body = requireObject(req.body)
  const partition = partitionOf(req)
  if (partition === undefined) return body
  if (body.partition !== undefined && body.partition !== partition) throw createError('BAD_REQUEST', { reason: 'Multiple conflicting values for `partition` provided' })
  return { ...body, partition }
}

/** The parameters of a `_nouveau`, as they came, and the partition, which the query alone names. @param {PotorooRequest} req */
function givenOfNouveau (req) {
  const given = req.method === 'POST' ? requireObject(req.body) : readNouveauQuery(req.search)
  return { given, partition: partitionOf(req) }
}

module.exports = { givenOfNouveau, givenOfSearch }
