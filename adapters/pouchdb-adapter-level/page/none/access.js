'use strict'

/** A page's databases are one user's: none has access by document, so nothing of this is asked. */
function refuse () { throw new TypeError('Pages have no access by document') }

module.exports = {
  AccessRows: refuse,
  MemberDocuments: refuse,
  MemberStore: refuse,
  admit: refuse,
  changesSeen: refuse,
  goneDocument: refuse,
  memberDiff: refuse,
  positionOf: refuse,
  readAccess: refuse,
  surveySeen: refuse
}
