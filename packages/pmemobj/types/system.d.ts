/**
 * Another descriptor of a file or socket. Threads that share a pool may share a listening socket, too, and
 * Node.js closes a descriptor with the thread that has it. Errors: `EBADF`, `EMFILE`.
 */
export function duplicateDescriptor (descriptor: number): number

/** Gives memory back to the system that was freed and that glibc keeps: whether there was any. Other C libraries give it back by themselves. */
export function releaseMemory (): boolean

/** The meaning of each code of an error. */
export const codes: Readonly<Record<Code, string>>

/** Errors have a stable `code`; a wrong type of argument is a TypeError. */
export type Code =
  | 'PMEMOBJ_NOT_FOUND' | 'PMEMOBJ_EXISTS' | 'PMEMOBJ_NOT_A_POOL' | 'PMEMOBJ_LAYOUT_VERSION' | 'PMEMOBJ_OLDER_LAYOUT'
  | 'PMEMOBJ_IN_USE' | 'PMEMOBJ_NO_SPACE' | 'PMEMOBJ_CORRUPT' | 'PMEMOBJ_PERMISSION'
  | 'PMEMOBJ_INVALID' | 'PMEMOBJ_KEY_NEEDED' | 'PMEMOBJ_WRONG_KEY' | 'PMEMOBJ_NOT_ENCRYPTED'
  | 'PMEMOBJ_ENCRYPTED' | 'PMEMOBJ_IO' | 'PMEMOBJ_NO_MEMORY' | 'PMEMOBJ_CLOSED' | 'PMEMOBJ_READ_ONLY'
  | 'PMEMOBJ_IN_TRANSACTION' | 'PMEMOBJ_IN_DOUBT'
  | 'PMEMOBJ_NOT_A_BACKUP' | 'PMEMOBJ_BACKUP_VERSION' | 'PMEMOBJ_BACKUP_DAMAGED' | 'PMEMOBJ_BAD_DUMP'
