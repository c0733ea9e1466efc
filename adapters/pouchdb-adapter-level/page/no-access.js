'use strict'

/** A page's databases are one user's: none has access by document, so nothing of this is asked. */
class MemberStore {
  constructor () { throw new TypeError('Pages have no access by document') }
}

module.exports = { MemberStore, MemberDocuments: MemberStore }
