// The types of persistent objects in index.d.ts, checked by the suite `types`: nothing here runs. A line after
// `@ts-expect-error` that is no error is one.
import { PersistentArrayBuffer, Pool, type Code, type CollectSummary, type OrderedMap } from '../..'

interface Account { money: number, owner?: string }
interface Bank {
  accounts: Record<string, Account>
  log: Array<{ at: Date, amount: number }>
  tags: Map<string, Set<bigint>>
  file: Buffer
}

/** Only the one type, neither a wider nor a narrower one, nor any. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false
function same<A, B> (_same: Same<A, B>): void {}

const bank: Pool<Bank> = Pool.open<Bank>('/mnt/pmem/bank.pool', { collect: false, maxSize: '1GiB' })
const made = Pool.create<Bank>('/mnt/pmem/new.pool', { size: '1GiB', durability: 'relaxed' })
same<typeof made, Pool<Bank>>(true)
// @ts-expect-error: it is made, or the call fails
Pool.create('/mnt/pmem/new.pool', { createIfMissing: false })
// @ts-expect-error: a size has no such type
Pool.create('/mnt/pmem/new.pool', { size: true })

// The root has the shape that was given, down to its leaves.
same<typeof bank.root, Bank>(true)
same<typeof bank.root.log[0]['at'], Date>(true)
bank.root.accounts.a.money -= 50
bank.root.log.push({ at: new Date(), amount: 50 })
bank.root.tags.get('x')?.add(1n)
bank.root = { accounts: {}, log: [], tags: new Map(), file: Buffer.from('MThd') }
// @ts-expect-error: not a number
bank.root.accounts.a.money = 'all'
// @ts-expect-error: no such property
bank.root.missing = 1
// @ts-expect-error: properties are missing
bank.root = { accounts: {} }

// Without a shape anything goes, as in JavaScript.
const untyped = Pool.open('/mnt/pmem/any.pool')
same<typeof untyped.root, any>(true)
untyped.root = { anything: ['goes'] }
untyped.root.anything[0].toUpperCase()
const asAny: Pool = bank
asAny.close()

// create and plain give the type that they are given.
const account: Account = bank.create<Account>({ money: 1 })
bank.root.accounts.b = account
same<ReturnType<typeof bank.plain<Account>>, Account>(true)
const created = bank.create({ list: [1, 2], when: new Date() })
same<typeof created, { list: number[], when: Date }>(true)
// @ts-expect-error: not what was asked for
bank.create<Account>({ money: '1' })

// A transaction gives what its function gives.
const over = Pool.transaction([bank, made], () => bank.root.accounts.a.money)
same<typeof over, number>(true)
// @ts-expect-error: it is done when the function returns
Pool.transaction([bank, made], async () => {})
Pool.open('/mnt/pmem/bank.pool', { coordinator: bank })
Pool.open('/mnt/pmem/bank.pool', { coordinator: false })
const sum = bank.transaction(() => bank.root.accounts.a.money + 1)
same<typeof sum, number>(true)
const nothing = bank.transaction(() => { bank.root.accounts.a.money++ })
same<typeof nothing, void>(true)
const maybe = bank.transaction(() => bank.root.tags.get('x'))
same<typeof maybe, Set<bigint> | undefined>(true)
const anything = bank.transaction(() => untyped.root.x)
same<typeof anything, any>(true)
bank.transaction((): never => { throw new Error('undo') })
// @ts-expect-error: an asynchronous function would run on when the transaction is over
bank.transaction(async () => { bank.root.accounts.a.money++ })
// @ts-expect-error: as would what is behind a promise
bank.transaction(() => Promise.resolve(1))
// @ts-expect-error: nor does a generator run by itself
bank.transaction(function * () { yield bank.root.accounts.a.money })
// @ts-expect-error: of functions only
bank.transaction(1)

// Classes, by their constructors.
class Point { x = 0 }
abstract class Shape { abstract area (): number }
bank.register(Point)
bank.register(Shape, { name: 'shapes.Shape' })
// @ts-expect-error: not a class
bank.register(new Point())
// @ts-expect-error: a name is a string
bank.register(Point, { name: 1 })

// Buffers are ArrayBuffers, and more.
const bytes = new PersistentArrayBuffer(bank, 40_000)
const view = new Uint8Array(bytes, 0, 64)
const asArrayBuffer: ArrayBuffer = bytes
bank.transaction(() => {
  bytes.snapshot(view.byteOffset, view.byteLength)
  view.fill(0)
})
bytes.flush()
bytes.flush(0, 64)
// @ts-expect-error: needs a pool
export const missingPool = new PersistentArrayBuffer(40_000)
// @ts-expect-error: an offset is a number
bytes.flush('0')

// Other members of a pool.
const summary: CollectSummary = bank.collect()
export const freed: number = summary.objects
bank.refresh()
const map: OrderedMap = bank.map('notes')
bank.transaction(() => { map.put('at', String(bank.root.log.length)) })
export const codes: Code[] = ['PMEMOBJ_READ_ONLY', 'PMEMOBJ_IN_TRANSACTION']
export { asArrayBuffer, maybe }
// @ts-expect-error: pools are opened, not constructed
export const constructed = new Pool('/mnt/pmem/any.pool')
