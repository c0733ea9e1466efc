/**
 * All failures are a `CouchError` of `@potoroo/errors`. Sequences are numbers from 1; 0 is
 * "before everything". Revisions are `N-hash` strings. Times are milliseconds.
 */

export {
  AttachmentInfo, Document, ReadOptions, GetOptions, DocumentInput, ContentSource, WriteResult, WriteOptions,
  Transaction, transact, Origin, Moment
} from './types/documents'

export { RangeOptions, AllDocsOptions, AllDocsRow, AllDocsResult, Change, ChangesOptions, Changes, MemberChange } from './types/lists'

export {
  Purge, PurgeResult, PurgeOptions, CompactionProgress, Info, PartitionInfo, StoreOptions, DocumentStore,
  DocumentReader, PreparedWrite, PreparedResult, CommitPrepared, Retention, HistoryEntry, MemberStore, MemberChanges
} from './types/store'

export {
  Databases, DatabasesEvents, DatabasesOptions, NewDatabase, DatabaseReaders, DatabaseReadersOptions, DistantReader, Sharing, ShardedDatabase, MOST_SHARDS, illegalName, isInShard, isLegalName, isShard, publicName, rangesOf, shardOf
} from './types/databases'

export {
  check, CheckOptions, Fault, checkDatabases, checkOnline, Loss, Missing, mend, mendDatabases, lossInWords,
  formerLayouts, LAYOUT_VERSION
} from './types/check'

export {
  parseExact, parseJson, readBare, readBareDocument, readBareResults, parseLargeJson, parseInTurns, parseText, stringifyInTurns, copyInTurns, isLargeCopy, setMember, namesOf, CarriedText, carryOver,
  carriedText, carryExact, markedOf, TermWriter, carrySent, carrySentAt, stringifyExact, stringifyAnyDepth, exactForm, endOfString, endOfValue,
  isObject
} from './types/json'

export {
  chooseInTurns, toObject, toObjectInTurns, toEditable, toJson, encodingForm, metaForm, parseMoment, restore, fillMoment, validateDocument, validateId,
  validateRevision, compareUtf8, partitionOf, validatePartition, validatePartitionedId, encodeNumber, decodeNumber, isInert, principalsOf
} from './types/forms'

export { Turn, inTurns, mapInTurns, nextRound } from './types/turns'
