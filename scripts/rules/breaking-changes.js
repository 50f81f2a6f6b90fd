/*
 * What a program that was written for an older API document would notice in a newer one. An answer may gain
 * fields, and values of an enumeration; docs/api-stability.md tells readers to expect both.
 */

const METHODS = ['get', 'post', 'put', 'delete'];

/** What the comparison reads of a document; the rest of it are texts. */
export function comparable({ paths, webhooks, components }) {
  const { schemas, parameters, headers } = components;
  return withoutTexts({
    paths: mapValues(paths, (path) => mapValues(path, withAnswers)),
    webhooks,
    components: { schemas, parameters, headers },
  });

  /** The operation without its refusals; the answers that have a name stand in it whole. */
  function withAnswers({ responses, ...operation }) {
    const answers = Object.entries(responses).filter(([status]) => status < 400);
    const whole = ({ $ref, ...own }) => ($ref ? resolved({ components }, { $ref }) : own);
    return {
      ...operation,
      responses: mapValues(Object.fromEntries(answers), whole),
    };
  }
}

const TEXTS = ['description', 'summary', 'tags', 'examples', 'example'];

/** A schema may have a property that is called `description`. */
function withoutTexts(node, isNames = false) {
  if (Array.isArray(node)) return node.map((one) => withoutTexts(one));
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(([name]) => isNames || !TEXTS.includes(name));
  return Object.fromEntries(
    kept.map(([name, one]) => [name, withoutTexts(one, name === 'properties' && !isNames)]),
  );
}

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

/**
 * Each change of the document that breaks a program, as a sentence with its place. `today`: a call may be
 * removed after its announced sunset.
 */
export function breakingChanges(before, now, today) {
  const faults = [];
  // A call without roles is for those that there were.
  const allRoles = before.components?.schemas?.CurrentUser?.properties?.role?.enum ?? [];
  const say = (place, what) => faults.push(`${place}: ${what}`);
  for (const [path, operations] of Object.entries(before.paths)) {
    for (const method of METHODS.filter((each) => operations[each])) {
      const place = `${method.toUpperCase()} ${path}`;
      const operation = now.paths[path]?.[method];
      if (operation) compareOperation(operations[method], operation, place);
      else {
        const sunset = operations[method]['x-sunset'];
        if (!sunset) say(place, 'removed without a sunset');
        else if (sunset > today) say(place, `removed before its sunset, ${sunset}`);
      }
    }
  }
  for (const [type, { post }] of Object.entries(before.webhooks)) {
    const event = now.webhooks[type]?.post;
    if (event) compareBodies(post, event, 'out', `webhook ${type}`);
    else say(`webhook ${type}`, 'removed');
  }
  return faults;

  function compareOperation(old, operation, place) {
    if (old.operationId !== operation.operationId) say(place, 'has another operationId');
    compareAccess(old, operation, place);
    compareParameters(parametersOf(before, old), parametersOf(now, operation), place);
    compareBodies(old, operation, 'in', `${place} body`);
    for (const [status, response] of Object.entries(old.responses)) {
      const answer = operation.responses[status];
      if (!answer) say(place, `does not answer ${status} any more`);
      else compareAnswer(response, answer, `${place} ${status}`);
    }
  }

  function compareAccess(old, operation, place) {
    const ways = (one) =>
      one.security.length === 0 ? ['none'] : one.security.flatMap(Object.keys);
    const waysNow = ways(operation);
    const lost = ways(old).filter((way) => !waysNow.includes(way) && !waysNow.includes('none'));
    if (lost.length > 0) say(place, `does not take ${lost} any more`);
    const roles = operation['x-roles'];
    const barred = old['x-roles']?.filter((role) => roles && !roles.includes(role));
    if (barred?.length) say(place, `not for the roles ${barred} any more`);
    const missing = allRoles.filter((role) => roles && !roles.includes(role));
    const isForAll = allRoles.length > 0 && missing.length === 0;
    if (roles && !old['x-roles'] && !isForAll) say(place, 'not for all roles any more');
  }

  function compareParameters(old, parameters, place) {
    for (const [name, parameter] of old) {
      const same = parameters.get(name);
      if (!same) say(place, `the parameter ${name} was removed`);
      else compareSchemas(parameter.schema, same.schema, 'in', `${place} ${name}`);
    }
    for (const [name, { required }] of parameters) {
      if (required && !old.get(name)?.required) say(place, `the parameter ${name} is required`);
    }
  }

  function compareAnswer(response, answer, place) {
    for (const header of Object.keys(response.headers ?? {})) {
      if (!answer.headers?.[header]) say(place, `the header ${header} was removed`);
    }
    compareContents(response.content, answer.content, 'out', place);
  }

  function compareBodies({ requestBody: old }, { requestBody: body }, direction, place) {
    if (!old && body?.required) compareSchemas({}, schemaOf(body.content), direction, place);
    if (old && !body) say(place, 'removed');
    if (old && body) compareContents(old.content, body.content, direction, place);
  }

  function compareContents(old = {}, content = {}, direction, place) {
    for (const [media, { schema }] of Object.entries(old)) {
      if (!content[media]) say(place, `${media} was removed`);
      else compareSchemas(schema, content[media].schema, direction, place);
    }
  }

  function compareSchemas(old, schema, direction, place) {
    faults.push(...schemaFaults(before, now)(old, schema, direction, place));
  }
}

const schemaOf = (content) => Object.values(content)[0].schema;

const parametersOf = (document, { parameters = [] }) =>
  new Map(
    parameters
      .map(({ $ref, ...own }) => ($ref ? resolved(document, { $ref }) : own))
      .map((parameter) => [parameter.name, parameter]),
  );

function resolved(document, { $ref, ...beside }) {
  const target = $ref.split('/').slice(1);
  return { ...target.reduce((node, name) => node[name], document), ...beside };
}

/** The bounds that a value must keep, and how a stricter one is recognized. */
const BOUNDS = {
  maximum: (old, bound) => bound < old,
  maxLength: (old, bound) => bound < old,
  maxItems: (old, bound) => bound < old,
  minimum: (old, bound) => bound > old,
  minLength: (old, bound) => bound > old,
  minItems: (old, bound) => bound > old,
  pattern: (old, bound) => bound !== old,
  format: (old, bound) => bound !== old,
};

/** A list of types is a short way of writing variants. */
const variants = (one) =>
  one.anyOf ??
  one.oneOf ??
  (Array.isArray(one.type) ? one.type.map((type) => ({ ...one, type })) : undefined);
const typesOf = ({ type }) => (type === undefined ? null : [type].flat());
const valuesOf = (schema) => ('const' in schema ? [schema.const] : schema.enum);
const isWithin = (type, types) =>
  types.includes(type) || (type === 'integer' && types.includes('number'));

/**
 * Compares schemas: of what is sent (`in`), all that was accepted still is; of what is answered (`out`),
 * all that was promised still holds.
 */
function schemaFaults(before, now) {
  const compared = new Set();
  return compare;

  function compare(oldOne, newOne, direction, place) {
    const old = '$ref' in oldOne ? resolved(before, oldOne) : oldOne;
    const schema = '$ref' in newOne ? resolved(now, newOne) : newOne;
    const pair = `${oldOne.$ref} ${newOne.$ref} ${direction}`;
    // A schema may refer to itself.
    if (oldOne.$ref && newOne.$ref && compared.has(pair)) return [];
    if (oldOne.$ref && newOne.$ref) compared.add(pair);
    if (variants(old) || variants(schema)) {
      const [all, others] = [variants(old) ?? [old], variants(schema) ?? [schema]];
      return direction === 'in'
        ? unmatched(all, (one) => others.map((other) => [one, other]), direction, place)
        : unmatched(others, (one) => all.map((other) => [other, one]), direction, place);
    }
    if (old.allOf && schema.allOf) {
      return old.allOf.flatMap((part, at) =>
        schema.allOf[at] ? compare(part, schema.allOf[at], direction, place) : [],
      );
    }
    return [
      ...typeFaults(old, schema, direction, place),
      ...(direction === 'in' ? boundFaults(old, schema, place) : []),
      ...objectFaults(old, schema, direction, place),
      ...(old.items && schema.items
        ? compare(old.items, schema.items, direction, `${place}[]`)
        : []),
    ];
  }

  /** The variants that fit none of the other side's. */
  function unmatched(variants, pairsOf, direction, place) {
    return variants.flatMap((variant) => {
      const attempts = pairsOf(variant).map(([old, schema]) => {
        // Compared again by others: what one attempt has seen says nothing about the next.
        const known = [...compared];
        const faults = compare(old, schema, direction, place);
        compared.clear();
        for (const pair of known) compared.add(pair);
        return faults;
      });
      if (attempts.some((faults) => faults.length === 0)) return [];
      return attempts.sort((a, b) => a.length - b.length)[0] ?? [];
    });
  }

  function objectFaults(old, schema, direction, place) {
    if (!old.properties && !schema.properties) return recordFaults(old, schema, direction, place);
    const [fields, others] = [old.properties ?? {}, schema.properties ?? {}];
    const removed = Object.keys(fields).filter((name) => !others[name]);
    const [needed, given] =
      direction === 'in' ? [schema.required, old.required] : [old.required, schema.required];
    const missing = (needed ?? []).filter((name) => !given?.includes(name));
    return [
      ...removed.map((name) => `${place}.${name}: removed`),
      ...missing
        .filter((name) => !removed.includes(name))
        .map((name) => `${place}.${name}: ${direction === 'in' ? 'required' : 'may be absent'}`),
      ...Object.keys(fields).flatMap((name) =>
        others[name] ? compare(fields[name], others[name], direction, `${place}.${name}`) : [],
      ),
    ];
  }

  function recordFaults(old, schema, direction, place) {
    const [values, others] = [old.additionalProperties, schema.additionalProperties];
    if (typeof values !== 'object' || typeof others !== 'object') return [];
    return compare(values, others, direction, `${place}.*`);
  }
}

function typeFaults(old, schema, direction, place) {
  const [types, others] = [typesOf(old), typesOf(schema)];
  const [narrow, wide] = direction === 'in' ? [types, others] : [others, types];
  const isOther = wide && (!narrow || narrow.some((type) => !isWithin(type, wide)));
  if (isOther) return [`${place}: the type ${types ?? 'any'} became ${others ?? 'any'}`];
  const [values, allowed] = [valuesOf(old), valuesOf(schema)];
  if (direction === 'out' || !allowed) return [];
  const lost = values ? values.filter((value) => !allowed.includes(value)) : ['any'];
  return lost.length > 0 ? [`${place}: ${lost} is not accepted any more`] : [];
}

function boundFaults(old, schema, place) {
  return Object.entries(BOUNDS)
    .filter(([name, isStricter]) => {
      if (schema[name] === undefined) return false;
      return old[name] === undefined || isStricter(old[name], schema[name]);
    })
    .map(([name]) => `${place}: ${name} became ${schema[name]}`);
}
