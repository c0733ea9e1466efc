'use strict'

const { DatabaseView, VERBS } = require('./database-view')

/** The verbs that a member has of a database with access by document: each gives what is theirs. Nothing that counts others is among them. */
class PartPolicy extends DatabaseView {
  static {
    this.letPass([
      'name', 'closed', 'instanceId', 'partitioned', 'byDocument', 'isOfMember', 'designSeq', 'purgeSeq', 'revsLimit', 'info',
      'get', 'openRevs', 'bulkGet', 'allDocs', 'changes', 'follow', 'revsDiff', 'getAttachment', 'history', 'retention',
      ...VERBS.live, ...VERBS.writes, ...VERBS.localReads, ...VERBS.localWrites
    ])
  }
}

module.exports = { PartPolicy }
