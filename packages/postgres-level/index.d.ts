/// <reference types="node" />
import { AbstractDatabaseOptions, AbstractLevel, AbstractOpenOptions, AbstractSnapshot } from 'abstract-level'
import { ConnectionOptions } from 'node:tls'

declare namespace PostgresLevel {
  export interface PostgresLevelOptions<K, V> extends AbstractDatabaseOptions<K, V>, AbstractOpenOptions {
    /** The beginning of the tables' names. Default `potoroo`. */
    prefix?: string
    /** Connections for reads and writes. Default 10. */
    max?: number
    /** Connections that iterators and snapshots may hold, beside those. Default 20. */
    maxSnapshots?: number
    /** TLS, as the driver `pg` has it. */
    ssl?: boolean | ConnectionOptions
    /** Milliseconds for a connection. Default 5000. */
    connectTimeout?: number
    /** Milliseconds for a statement. Default 30000. */
    statementTimeout?: number
    /** Milliseconds after which a snapshot is given up. Default 300000. */
    snapshotAge?: number
    /** URLs of replicas that read, for snapshots that may be stale. */
    replicas?: string[]
  }

  /** A name, and its token: see Leases. */
  export interface Fence { name: string, token: number }

  export interface Server {
    id: string
    address: string
    /** Seconds since its last heartbeat, by the database server's clock. */
    age: number
    load: any
  }

  export interface Owner {
    server: string
    token: number
    address: string | null
    isAlive: boolean
  }

  /**
   * The servers that live, and the names that each owns. A token grows with each change of owner. Lifetimes are
   * seconds without a heartbeat, 10 by default.
   */
  export interface Leases {
    join (server: { id: string, address: string, load?: unknown, lifetime?: number }): Promise<Server[]>
    /** Says that a server lives; returns all that do. */
    beat (id: string, options?: { load?: unknown, lifetime?: number }): Promise<Server[]>
    /** Gives all back that a server owns, and forgets it. */
    leave (id: string): Promise<void>
    /** Takes a name that is free, or whose server is dead. `taken`: it is that server's now, or was; otherwise whose it is. */
    take (name: string, id: string, options?: { lifetime?: number }): Promise<{ server: string, token: number, address: string | null, taken: boolean }>
    /** Gives a name back at once, or to a server that has to `take` it; its token is of no use any more. Whether it was that server's. */
    give (name: string, id: string, token: number, to?: string): Promise<boolean>
    /** The owners of these names, or of all that have one. */
    owners (names?: string[], options?: { lifetime?: number }): Promise<Map<string, Owner>>
  }

  export { PostgresLevel }
}

/** An abstract-level database in tables of PostgreSQL, or of a database server that speaks its protocol. */
declare class PostgresLevel<KDefault = string, VDefault = string>
  extends AbstractLevel<string | Buffer | Uint8Array, KDefault, VDefault> {
  /** @param location postgres://user:password@host:port/database */
  constructor (location: string, options?: PostgresLevel.PostgresLevelOptions<KDefault, VDefault>)

  /** Its URL, without the password. */
  get location (): string
  /** The fence of its writes; null for none. */
  get fence (): PostgresLevel.Fence | null
  /** The database must be open. */
  get leases (): PostgresLevel.Leases

  /**
   * The same database on the same connections, whose writes fail with `LEVEL_FENCED`, and change nothing, once the
   * token is not the present one of the name.
   */
  fenced (fence: PostgresLevel.Fence, options?: AbstractDatabaseOptions<KDefault, VDefault>): PostgresLevel<KDefault, VDefault>

  /** `stale`: a replica may serve it, and show an older state. */
  snapshot (options?: { stale?: boolean }): AbstractSnapshot

  /** Asks the database server about itself; null is for what it does not have. The database must be open. */
  engine (): Promise<{ version: string | null, synchronousCommit: string | null, fsync: string | null }>
}

export = PostgresLevel
