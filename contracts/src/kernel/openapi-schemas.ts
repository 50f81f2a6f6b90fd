import { z } from 'zod';
import { Id, Instant } from './ids.ts';
import { Problem } from './problem.ts';

export type Json = Record<string, unknown>;

/** JSON Schema of what is sent (`input`: defaults may be left out) or answered (`output`). */
type Direction = 'input' | 'output';

const INSTANT: Json = {
  type: 'string',
  format: 'date-time',
  description: 'A moment. Answers and events have it in UTC, as `2027-01-31T09:30:00Z`.',
};

const PREFIX = '#/components/schemas/';
export const schemaRef = (name: string): Json => ({ $ref: `${PREFIX}${name}` });

type Meta = z.core.GlobalMeta & { id?: string };

/** Gives the schemas that have a name their name as an id, so that others refer to them. */
class NamesRegistry extends z.core.$ZodRegistry<Meta> {
  readonly #names: ReadonlyMap<z.core.$ZodType, string>;
  constructor(names: ReadonlyMap<z.core.$ZodType, string>) {
    super();
    this.#names = names;
  }
  override get(schema: z.core.$ZodType): Meta | undefined {
    const id = this.#names.get(schema);
    const meta = z.globalRegistry.get(schema);
    return id === undefined ? meta : { ...meta, id };
  }
  override has(schema: z.core.$ZodType): boolean {
    return this.get(schema) !== undefined;
  }
}

/** The JSON Schemas of an API document; those with names are written once and referred to. */
export class SchemaCatalog {
  readonly components: Record<string, Json> = {};
  readonly #registry: NamesRegistry;
  /** Text by which an unnamed copy of a named scalar is recognized. */
  readonly #scalars: ReadonlyMap<string, string>;

  constructor(named: Readonly<Record<string, unknown>>) {
    const all: Record<string, unknown> = { ...named, Id, Instant, Problem };
    const schemas = Object.entries(all).filter(
      (entry): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType,
    );
    this.#registry = new NamesRegistry(new Map(schemas.map(([name, one]) => [one, name])));
    this.#scalars = new Map(
      Object.entries({ Id, Instant }).map(([name, schema]) => [plainText(schema), name]),
    );
  }

  /** The name that was given to the schema. */
  nameOf(schema: z.ZodType): string | undefined {
    return this.#registry.get(schema)?.id;
  }

  /** The schema, with references in place of what has a name. */
  of(schema: z.ZodType, io: Direction): Json {
    const { $schema: _, $defs = {}, ...root } = this.#convert(schema, io);
    const defs = Object.entries($defs as Record<string, Json>).map(
      ([name, { id, ...json }]) =>
        [name, this.#scalars.has(JSON.stringify(json)) ? json : this.#withScalars(json)] as const,
    );
    const names = this.#namesOf(defs, io);
    for (const [name, json] of defs) {
      this.components[names.get(name) ?? name] ??=
        name === 'Instant' ? INSTANT : rewritten(json, names);
    }
    return rewritten(this.#withScalars(root), names);
  }

  /** Writes the schema under the name, if it has none of its own, and gives a reference to it. */
  named(name: string, schema: z.ZodType, io: Direction): Json {
    const json = this.of(schema, io);
    if ('$ref' in json) return json;
    const taken = this.components[name];
    if (taken && JSON.stringify(taken) !== JSON.stringify(json)) {
      throw new Error(`Two schemas of the API document are named ${name}`);
    }
    this.components[name] = json;
    return schemaRef(name);
  }

  /** The parameters that an object of them stands for. */
  fields(schema: z.ZodType): readonly { name: string; isRequired: boolean; json: Json }[] {
    if (!(schema instanceof z.ZodObject)) throw new Error('Parameters must be an object');
    return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => ({
      name,
      isRequired: field._zod.optin === undefined,
      json: this.of(field, 'input'),
    }));
  }

  #convert(schema: z.ZodType, io: Direction): Json {
    const json = z.toJSONSchema(schema, {
      io,
      metadata: this.#registry,
      override: ({ zodSchema, jsonSchema }) => {
        // A newer server may add fields to what it answers.
        const { def } = zodSchema._zod;
        const isStrict = def.type === 'object' && (def as z.core.$ZodObjectDef).catchall;
        if (def.type === 'object' && !isStrict) delete jsonSchema.additionalProperties;
        // The format says it all.
        if (jsonSchema.format === 'date') delete jsonSchema.pattern;
        // The range of exact integers limits nothing that a caller would send.
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      },
    });
    return io === 'input' ? mapObjects(json, withDefaultsDescribed) : json;
  }

  /**
   * What is sent may differ from what is answered under the same name: it gets another one, and so
   * does each schema that refers to it. Answers must come first.
   */
  #namesOf(defs: readonly (readonly [string, Json])[], io: Direction): ReadonlyMap<string, string> {
    const names = new Map(defs.map(([name]) => [name, name]));
    let isStable = io === 'output';
    while (!isStable) {
      isStable = true;
      for (const [name, json] of defs) {
        const answered = this.components[name];
        if (names.get(name) !== name || !answered) continue;
        if (JSON.stringify(answered) === JSON.stringify(rewritten(json, names))) continue;
        names.set(name, `${name}Input`);
        isStable = false;
      }
    }
    return names;
  }

  #withScalars(json: Json): Json {
    return mapObjects(json, (one) => {
      const { description, ...rest } = one;
      const name = this.#scalars.get(JSON.stringify(rest));
      if (!name) return one;
      return description === undefined ? schemaRef(name) : { ...schemaRef(name), description };
    });
  }
}

/**
 * The object with the defaults of its fields as text: by the keyword `default`, openapi-typescript
 * takes a field that may be left out for a required one.
 */
function withDefaultsDescribed(one: Json): Json {
  const { properties } = one;
  if (typeof properties !== 'object' || properties === null) return one;
  const described = (field: Json): Json => {
    const { default: value, description, ...others } = field;
    if (value === undefined) return field;
    const text = `Default: \`${JSON.stringify(value)}\`.`;
    return { ...others, description: description ? `${description} ${text}` : text };
  };
  const fields = Object.entries(properties as Record<string, Json>);
  const changed = Object.fromEntries(fields.map(([name, field]) => [name, described(field)]));
  return { ...one, properties: changed };
}

function plainText(schema: z.ZodType): string {
  const { $schema: _, ...json } = z.toJSONSchema(schema);
  return JSON.stringify(json);
}

const rewritten = (json: Json, names: ReadonlyMap<string, string>): Json =>
  mapObjects(json, (one) => {
    if (typeof one.$ref !== 'string') return one;
    const name = one.$ref.replace(/^#\/\$defs\//, '');
    return { ...one, $ref: name === one.$ref ? name : `${PREFIX}${names.get(name) ?? name}` };
  });

/** Each object inside the value, and the value itself, as `change` has it. */
function mapObjects(json: Json, change: (one: Json) => Json): Json {
  const mapped = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(mapped);
    if (typeof value !== 'object' || value === null) return value;
    return mapObjects(value as Json, change);
  };
  return change(Object.fromEntries(Object.entries(json).map(([key, one]) => [key, mapped(one)])));
}
