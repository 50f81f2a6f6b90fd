import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog, DialogBody, DialogFooter } from './dialog.tsx';
import { Field } from './field.tsx';
import { Input } from './input.tsx';

/** Shows a secret the one time that it can be seen. */
export function SecretDialog(props: {
  title: string;
  description: string;
  label: string;
  secret: string;
  copyLabel: string;
  doneLabel: string;
  close: () => void;
}) {
  const { title, description, label, secret, copyLabel, doneLabel, close } = props;
  return (
    <Dialog open onOpenChange={close} title={title} description={description}>
      <DialogBody>
        <div className="flex items-end gap-2">
          <div className="min-w-0 flex-1">
            <Field label={label}>
              <Input
                readOnly
                value={secret}
                className="font-mono"
                onFocus={(event) => event.target.select()}
              />
            </Field>
          </div>
          <div className="flex h-9 items-center">
            <CopyButton text={secret} label={copyLabel} />
          </div>
        </div>
      </DialogBody>
      <DialogFooter>
        <Button variant="primary" onClick={close}>
          {doneLabel}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
