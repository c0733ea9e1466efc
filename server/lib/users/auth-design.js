'use strict'

/**
 * The design document that CouchDB makes in `_users`. Its function says what `user-document.js` checks, for who reads it
 * there or changes it; as it stands here it is not run.
 *
 * @see https://docs.couchdb.org/en/stable/intro/security.html#users-documents
 */
const AUTH_DESIGN = Object.freeze({
  _id: '_design/_auth',
  language: 'javascript',
  validate_doc_update: `function (newDoc, oldDoc, userCtx, secObj) {
  function refuse (reason) { throw { forbidden: reason } }
  function has (list, value) { return isArray(list) && list.indexOf(value) !== -1 }
  function isAdmin () {
    if (has(userCtx.roles, '_admin')) return true
    var admins = secObj && secObj.admins || {}
    if (has(admins.names, userCtx.name)) return true
    return userCtx.roles.some(function (role) { return has(admins.roles, role) })
  }
  if (newDoc._deleted === true) {
    if (has(userCtx.roles, '_admin') || (userCtx.name !== null && oldDoc && userCtx.name === oldDoc.name)) return
    refuse('Only admins may delete other user docs.')
  }
  if (newDoc.type !== 'user') refuse('doc.type must be user')
  if (!newDoc.name) refuse('doc.name is required')
  if (!newDoc.roles) refuse('doc.roles must exist')
  if (!isArray(newDoc.roles)) refuse('doc.roles must be an array')
  newDoc.roles.forEach(function (role) { if (typeof role !== 'string') refuse('doc.roles can only contain strings') })
  if (newDoc._id !== 'org.couchdb.user:' + newDoc.name) refuse('Doc ID must be of the form org.couchdb.user:name')
  if (oldDoc && oldDoc.name !== newDoc.name) refuse('Usernames can not be changed.')
  if (newDoc.password_sha && !newDoc.salt) refuse('Users with password_sha must have a salt.See /_utils/script/couch.js for example code.')
  if (newDoc.password_scheme && ['simple', 'pbkdf2', 'simple+pbkdf2'].indexOf(newDoc.password_scheme) === -1) refuse('Password scheme \`' + newDoc.password_scheme + '\` not supported.')
  if (newDoc.password_scheme === 'pbkdf2') {
    if (typeof newDoc.iterations !== 'number') refuse('iterations must be a number.')
    if (typeof newDoc.derived_key !== 'string') refuse('derived_key must be a string.')
  }
  if (!isAdmin()) {
    if (oldDoc) {
      if (userCtx.name !== newDoc.name) refuse('You may only update your own user document.')
      var before = (oldDoc.roles || []).slice().sort()
      var after = newDoc.roles.slice().sort()
      if (before.length !== after.length || before.some(function (role, i) { return role !== after[i] })) refuse('Only _admin may edit roles')
    } else if (newDoc.roles.length > 0) refuse('Only _admin may set roles')
  }
  newDoc.roles.forEach(function (role) { if (role[0] === '_' && role !== '_metrics') refuse('No system roles (starting with underscore) in users db.') })
  if (newDoc.name[0] === '_') refuse('Username may not start with underscore.')
  if (newDoc.name.indexOf(':') !== -1) refuse('Character \`:\` is not allowed in usernames.')
}`
})

/** Whether what a design document of `_users` says is checked anyway. @param {Record<string, any>} ddoc */
function isStandard ({ _id: id, validate_doc_update: text }) {
  return id === AUTH_DESIGN._id && text === AUTH_DESIGN.validate_doc_update
}

/** @param {import('../databases/database-view').AnyDatabase} database @returns {Promise<boolean>} */
async function hasDesign (database) {
  try {
    await database.get(AUTH_DESIGN._id)
    return true
  } catch (error) {
    if (error.status === 404) return false
    throw error
  }
}

module.exports = { AUTH_DESIGN, hasDesign, isStandard }
