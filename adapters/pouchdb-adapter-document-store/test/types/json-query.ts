import 'pouchdb-adapter-pmem'

// Checked by `npm run types`, not run.
export async function cheap (db: PouchDB.Database<{ price: number }>): Promise<string[]> {
  const { finds } = await db.jsonQuery('[?price<$1]', { args: [10], explain: true })
  // @ts-expect-error: only plain values stand for parameters
  await db.jsonQuery('[?price<$1]', { args: [{}] })
  const titles: string[] = await db.jsonQuery('[?price<10][/title][=title]')
  return [...titles, ...finds[0].steps]
}
