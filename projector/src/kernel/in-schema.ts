import { NEXT_SCHEMA, SCHEMA } from '@tallyhand/read-models/kernel/schema';
import {
  type KyselyPlugin,
  OperationNodeTransformer,
  type RawNode,
  type RootOperationNode,
} from 'kysely';
import type { Tx } from './projection.ts';

const NAMED_SCHEMA = new RegExp(`\\b${SCHEMA}\\.`, 'g');

/** Statements that name the schema themselves mean the next one. */
class NextSchemaTransformer extends OperationNodeTransformer {
  protected override transformRaw(node: RawNode): RawNode {
    const raw = super.transformRaw(node);
    const sqlFragments = raw.sqlFragments.map((text) =>
      text.replace(NAMED_SCHEMA, `${NEXT_SCHEMA}.`),
    );
    return { ...raw, sqlFragments };
  }
}

const transformer = new NextSchemaTransformer();
const nextSchema: KyselyPlugin = {
  transformQuery: ({ node }): RootOperationNode => transformer.transformNode(node),
  transformResult: async ({ result }) => result,
};

/** The transaction as a projection gets it: its tables are those that are read, or the next ones. */
export const inSchema = (tx: Tx, isNext: boolean): Tx =>
  (isNext ? tx.withPlugin(nextSchema).withSchema(NEXT_SCHEMA) : tx.withSchema(SCHEMA)) as Tx;
