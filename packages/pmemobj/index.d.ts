export {
  Size, CreateOptions, Durability, Key, DestroyOptions, OpenOptions, PoolStats, CompactSummary, Pool
} from './types/pool'

export { ChangeNotice, CollectSummary, KeptState, ObjectWatch, PersistentArrayBuffer, RegisterOptions, TransactionOptions, WatchOptions } from './types/objects'

export {
  Encoding, Bytes, maxKeySize, maxValueSize, Written, ReadOptions, Range, ClearOptions, IteratorOptions, BatchOptions, GatheredBatch, OrderedMap,
  Iterator, Snapshot
} from './types/map'

export {
  readKeyFile, encryptBackup, decryptBackup, ByteSource, StreamOptions, DumpOptions, StreamProgress, PoolStream,
  RestoreOptions, LoadOptions, RestoreProgress, LoadSummary, BackupSummary
} from './types/backup'

export {
  CheckProblem, CheckMap, CheckReport, check, ScrubFault, ScrubStep, SalvageLoss, SalvageMap, SalvageReport, salvage
} from './types/check'

export { duplicateDescriptor, releaseMemory, codes, Code } from './types/system'
