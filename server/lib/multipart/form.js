'use strict'

const { badRequest, createError } = require('@potoroo/errors')
const { MultipartReader, boundaryOf, fileNameOf } = require('@potoroo/multipart')

/** Fields of a form at most: each costs more than its bytes. */
const MOST = 1000

/** @typedef {{ content: Buffer, contentType: string, fileName: string }} Field */

/** The fields of a form, in their order. */
class Form {
  /** @type {Array<[string, Field]>} */
  #fields = []

  /** @param {string} name @param {Field} field */
  add (name, field) {
    if (this.#fields.length === MOST) throw createError('TOO_LARGE')
    this.#fields.push([name, field])
  }

  /** The first of this name. @param {string} name @returns {Field | undefined} */
  get (name) { return this.getAll(name)[0] }

  /** @param {string} name @returns {Field[]} */
  getAll (name) { return this.#fields.filter(([each]) => each === name).map(([, field]) => field) }
}

/**
 * Reads multipart/form-data into memory.
 *
 * @param {{ next(): Promise<Buffer | null> }} source
 * @param {string} contentType
 * @param {number} limit bytes of all fields
 * @returns {Promise<Form>}
 * @throws bad_request, too_large
 * @see https://www.rfc-editor.org/rfc/rfc7578
 */
async function readForm (source, contentType, limit) {
  const boundary = boundaryOf(contentType)
  if (boundary === null) throw badRequest('Content-Type of a multipart body must name its boundary')
  const reader = new MultipartReader(source, boundary)
  const form = new Form()
  let room = limit
  for (let headers = await reader.next(); headers !== null; headers = await reader.next()) {
    const disposition = headers.get('content-disposition')
    const content = await reader.whole(room)
    room -= content.length
    form.add(nameOf(disposition), { content, contentType: headers.get('content-type') ?? 'text/plain', fileName: fileNameOf(disposition) ?? '' })
  }
  return form
}

/** The field's name, as browsers write it. @param {string | undefined} disposition */
function nameOf (disposition) {
  const match = /;\s*name\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(disposition ?? '')
  if (match === null) throw badRequest('A part of a form needs a name')
  return match[1] ?? match[2]
}

module.exports = { readForm }
