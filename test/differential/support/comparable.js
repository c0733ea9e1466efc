'use strict'

/** Members whose values are each server's own. */
const OWN = new Set(['instance_start_time', 'execution_time_ms', 'bookmark', 'uuid', 'signature', 'session_id', 'ref', 'stack',
  'start_time', 'end_time', 'compiled_at', 'replication_id_version', 'collator_versions', 'purge_seq', '_local_id', 'partition_id'])

/** Members whose values are numbers of bytes. */
const SIZES = new Set(['file', 'external', 'active'])

/**
 * The part of the answers of one case that is to be the same on both servers: digests of revisions, and names that are made of
 * digests, are named in the order in which they appear, and of sequences the number counts. The leaves of a document have
 * no order.
 *
 * @param {Array<{ request: string, status: number, type: string, text: string }>} answers
 * @returns {any[]}
 */
function comparable (answers) {
  const digests = new Map()
  const named = digest => {
    if (!digests.has(digest)) digests.set(digest, `digest${digests.size + 1}`)
    return digests.get(digest)
  }
  return answers.map(({ request, status, type, text }) => ({
    request: replaceAll(request, named),
    status,
    type: type.toLowerCase(),
    answer: simplify(withoutRef(status, parse(text)), named)
  }))
}

/** CouchDB numbers some of its refusals, too. */
function withoutRef (status, answer) {
  if (status === 500 || answer?.ref === undefined) return answer
  const { ref, ...rest } = answer
  return rest
}

/** @param {string} text @returns {any} the same where it is no JSON */
function parse (text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** @param {any} value @param {(digest: string) => string} named */
function simplify (value, named) {
  if (typeof value === 'string') return replaceAll(value, named)
  if (Array.isArray(value)) return value.map(each => simplify(each, named))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [replaceAll(name, named), simplifyMember(name, member, named)]))
}

function simplifyMember (name, member, named) {
  if (name === 'docs' && Array.isArray(member) && member.some(each => each?.ok !== undefined)) return simplify(sorted(member), named)
  if (OWN.has(name)) return 'own'
  if (SIZES.has(name) && typeof member === 'number') return 'bytes'
  return simplify(member, named)
}

function sorted (leaves) { return leaves.toSorted((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1) }

/** Whether a CouchDB that failed at a request was asked what another refuses. */
function isFailure ({ status, answer }, other) {
  return status === 500 && answer?.ref !== undefined && other.status < 500
}

function replaceAll (text, named) {
  return text
    .replace(/\b(\d+)-([0-9a-f]{32})\b/g, (all, generation, digest) => `${generation}-${named(digest)}`)
    .replace(/\b[0-9a-f]{32}\b|\b[0-9a-f]{40}\b/g, named)
    .replace(/\b(\d+)-(?:g[12][\w-]{8,}|[0-9a-f]{12}\b)/g, (all, number) => `${number}-sequence`)
}

module.exports = { comparable, isFailure }
