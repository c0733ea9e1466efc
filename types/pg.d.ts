/** The parts of the driver that postgres-level and the benchmarks stand on. */
declare module 'pg' {
  import { EventEmitter } from 'node:events'

  export const Client: new (config: any) => any

  export class Connection extends EventEmitter {
    constructor (config: any)
    [member: string]: any
  }

  export class Pool extends EventEmitter {
    constructor (options: any)
    [member: string]: any
  }
}
